package job

import (
	"fmt"
	"strings"
)

// Payload is one body and what must become of it.
type Payload struct {
	Name    string
	Body    []byte
	Total   int64 // of the receipt
	Refused bool  // it has faults
}

// Payloads are the bodies that are measured: about 200 B, 3 KB and 100 KB, and the small one with three faults.
func Payloads() []Payload {
	small := orderOf(1, 0)
	faulty := strings.NewReplacer("7d444840-9dc0-11d1-b245-5ffdce74fad2", "not-a-uuid", "EUR", "XXX", `"quantity":1,`, `"quantity":0,`)
	return []Payload{
		small.named("S"), orderOf(20, 32).named("M"), orderOf(1000, 32).named("L"),
		{Name: "E", Body: []byte(faulty.Replace(string(small.Body))), Refused: true},
	}
}

func (p Payload) named(name string) Payload {
	p.Name = name
	return p
}

// Sized is a body of that many items, for how cost grows.
func Sized(items int) Payload { return orderOf(items, 0) }

func orderOf(items, labels int) Payload {
	var b strings.Builder
	b.WriteString(`{"customer":"7d444840-9dc0-11d1-b245-5ffdce74fad2","email":"ana@example.com","currency":"EUR","channel":"web","priority":2,"express":true`)
	if items > 1 {
		b.WriteString(`,"note":"Please ring twice, the bell is faint.","coupon":"SPRING26"`)
	}
	for i := range labels {
		open := `,"labels":{`
		if i > 0 {
			open = ","
		}
		fmt.Fprintf(&b, `%s"label-%02d":"value %d"`, open, i, i)
	}
	if labels > 0 {
		b.WriteByte('}')
	}
	var total int64
	for i := range items {
		open := ","
		if i == 0 {
			open = `,"items":[`
		}
		quantity, price := 1+i%9, int64(1250+i%5000)
		name := "Bolt"
		if items > 1 {
			name = fmt.Sprintf("Bolt, galvanised, M%d by %d mm", 4+i%8, 10+i%90)
		}
		fmt.Fprintf(&b, `%s{"sku":"A%04d","name":"%s","quantity":%d,"unit_price":%d}`, open, i%10000, name, quantity, price)
		total += int64(quantity) * price
	}
	b.WriteString("]}")
	return Payload{Name: fmt.Sprint(items), Body: []byte(b.String()), Total: total}
}
