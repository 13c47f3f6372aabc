// Command cobra is a command line written with cobra by hand: as many commands as BENCH_COMMANDS says, each with the flags of
// an order. It links what the program of this project links.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/go-playground/validator/v10"
	"github.com/spf13/cobra"

	_ "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/benchmarks/job"
)

func main() {
	n, err := strconv.Atoi(os.Getenv("BENCH_COMMANDS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	root := &cobra.Command{Use: "shop", SilenceUsage: true}
	for i := range n {
		root.AddCommand(command(i))
	}
	if root.Execute() != nil {
		os.Exit(1)
	}
}

func command(i int) *cobra.Command {
	in, items := new(job.Order), ""
	c := &cobra.Command{
		Use: fmt.Sprintf("create-order-%04d", i), Short: "Create an order",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := json.Unmarshal([]byte(items), &in.Items); err != nil {
				return err
			}
			if err := validator.New(validator.WithRequiredStructEnabled()).Struct(in); err != nil {
				return err
			}
			return json.NewEncoder(c.OutOrStdout()).Encode(job.Add(in))
		},
	}
	flags := c.Flags()
	flags.StringVar(&in.Customer, "customer", "", "Who orders")
	flags.StringVar(&in.Email, "email", "", "Where the receipt goes")
	flags.StringVar(&in.Currency, "currency", "", "Currency of the prices")
	flags.StringVar(&in.Channel, "channel", "", "Where it was ordered")
	flags.IntVar(&in.Priority, "priority", 0, "1 is first")
	flags.BoolVar(&in.Express, "express", false, "By express")
	flags.StringVar(&in.Note, "note", "", "For the packer")
	flags.StringVar(&in.Coupon, "coupon", "", "Code of a voucher")
	flags.StringToStringVar(&in.Labels, "labels", nil, "Marks of the shop")
	flags.StringVar(&items, "items", "", "What is ordered, as JSON")
	return c
}
