package contracts_test

import (
	"context"
	"fmt"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/contracts"
)

type Weather struct {
	Sky  string `json:"sky" cap:"What is above"`
	Rain bool   `json:"rain" cap:"Whether it rains"`
}

type Forecast struct {
	cap.Read[Weather] `cap:"Tell the weather; access=public"`
}

// WeatherNow has lost a member.
type WeatherNow struct {
	Sky string `json:"sky" cap:"What is above"`
}

type ForecastNow struct {
	cap.Read[WeatherNow] `cap:"Tell the weather; name=forecast; access=public"`
}

func Example() {
	before, after := cap.New(cap.Options{}), cap.New(cap.Options{})
	_ = before.Register(cap.Func(func(context.Context, Forecast) (Weather, error) { return Weather{}, nil }))
	_ = after.Register(cap.Func(func(context.Context, ForecastNow) (WeatherNow, error) { return WeatherNow{}, nil }))

	file := contracts.Of(before).Bytes() // committed as contracts.lock.json

	lock, err := contracts.Parse(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	changes := contracts.Check(lock, after)
	fmt.Print(contracts.Text(changes))
	fmt.Println(contracts.IsBreaking(changes))
	// Output:
	// breaking: forecast: output /rain: is gone (callers that read it find nothing)
	// true
}
