// Command kong is a command line written with kong by hand, as the one with cobra.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/alecthomas/kong"
	"github.com/go-playground/validator/v10"

	_ "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/benchmarks/job"
)

type order struct {
	Customer string            `help:"Who orders"`
	Email    string            `help:"Where the receipt goes"`
	Currency string            `help:"Currency of the prices"`
	Channel  string            `help:"Where it was ordered"`
	Priority int               `help:"1 is first"`
	Express  bool              `help:"By express"`
	Note     string            `help:"For the packer"`
	Coupon   string            `help:"Code of a voucher"`
	Labels   map[string]string `help:"Marks of the shop"`
	Items    string            `help:"What is ordered, as JSON"`
}

// Run does what the command says.
func (o *order) Run() error {
	in := job.Order{
		Customer: o.Customer, Email: o.Email, Currency: o.Currency, Channel: o.Channel, Priority: o.Priority,
		Express: o.Express, Note: o.Note, Coupon: o.Coupon, Labels: o.Labels,
	}
	if err := json.Unmarshal([]byte(o.Items), &in.Items); err != nil {
		return err
	}
	if err := validator.New(validator.WithRequiredStructEnabled()).Struct(in); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(job.Add(&in))
}

func main() {
	n, err := strconv.Atoi(os.Getenv("BENCH_COMMANDS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	options := []kong.Option{kong.Name("shop")}
	for i := range n {
		options = append(options, kong.DynamicCommand(fmt.Sprintf("create-order-%04d", i), "Create an order", "", &order{}))
	}
	var root struct{}
	k := kong.Parse(&root, options...)
	k.FatalIfErrorf(k.Run())
}
