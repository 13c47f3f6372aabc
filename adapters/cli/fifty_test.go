package capcli_test

import (
	"context"

	"github.com/seed-369ec62e/cap"
)

// Fifty contracts of ten fields each, for the benchmark of start-up.

type Ten struct {
	A string   `json:"a,omitempty" cap:"A" validate:"max=10"`
	B int      `json:"b,omitempty" cap:"B" validate:"min=1"`
	C bool     `json:"c,omitempty" cap:"C"`
	D float64  `json:"d,omitempty" cap:"D"`
	E []string `json:"e,omitempty" cap:"E" validate:"max=5"`
	F string   `json:"f,omitempty" cap:"F" validate:"oneof=a b"`
	G int64    `json:"g,omitempty" cap:"G"`
	H string   `json:"h,omitempty" cap:"H"`
	I string   `json:"i,omitempty" cap:"I"`
	J []int    `json:"j,omitempty" cap:"J"`
}

type Fifty struct{}

type (
	Task01 struct {
		cap.Read[cap.None] `cap:"Do task 1; access=public"`
		Ten
	}
	Task02 struct {
		cap.Read[cap.None] `cap:"Do task 2; access=public"`
		Ten
	}
	Task03 struct {
		cap.Read[cap.None] `cap:"Do task 3; access=public"`
		Ten
	}
	Task04 struct {
		cap.Read[cap.None] `cap:"Do task 4; access=public"`
		Ten
	}
	Task05 struct {
		cap.Read[cap.None] `cap:"Do task 5; access=public"`
		Ten
	}
	Task06 struct {
		cap.Read[cap.None] `cap:"Do task 6; access=public"`
		Ten
	}
	Task07 struct {
		cap.Read[cap.None] `cap:"Do task 7; access=public"`
		Ten
	}
	Task08 struct {
		cap.Read[cap.None] `cap:"Do task 8; access=public"`
		Ten
	}
	Task09 struct {
		cap.Read[cap.None] `cap:"Do task 9; access=public"`
		Ten
	}
	Task10 struct {
		cap.Read[cap.None] `cap:"Do task 10; access=public"`
		Ten
	}
	Task11 struct {
		cap.Read[cap.None] `cap:"Do task 11; access=public"`
		Ten
	}
	Task12 struct {
		cap.Read[cap.None] `cap:"Do task 12; access=public"`
		Ten
	}
	Task13 struct {
		cap.Read[cap.None] `cap:"Do task 13; access=public"`
		Ten
	}
	Task14 struct {
		cap.Read[cap.None] `cap:"Do task 14; access=public"`
		Ten
	}
	Task15 struct {
		cap.Read[cap.None] `cap:"Do task 15; access=public"`
		Ten
	}
	Task16 struct {
		cap.Read[cap.None] `cap:"Do task 16; access=public"`
		Ten
	}
	Task17 struct {
		cap.Read[cap.None] `cap:"Do task 17; access=public"`
		Ten
	}
	Task18 struct {
		cap.Read[cap.None] `cap:"Do task 18; access=public"`
		Ten
	}
	Task19 struct {
		cap.Read[cap.None] `cap:"Do task 19; access=public"`
		Ten
	}
	Task20 struct {
		cap.Read[cap.None] `cap:"Do task 20; access=public"`
		Ten
	}
	Task21 struct {
		cap.Read[cap.None] `cap:"Do task 21; access=public"`
		Ten
	}
	Task22 struct {
		cap.Read[cap.None] `cap:"Do task 22; access=public"`
		Ten
	}
	Task23 struct {
		cap.Read[cap.None] `cap:"Do task 23; access=public"`
		Ten
	}
	Task24 struct {
		cap.Read[cap.None] `cap:"Do task 24; access=public"`
		Ten
	}
	Task25 struct {
		cap.Read[cap.None] `cap:"Do task 25; access=public"`
		Ten
	}
	Task26 struct {
		cap.Read[cap.None] `cap:"Do task 26; access=public"`
		Ten
	}
	Task27 struct {
		cap.Read[cap.None] `cap:"Do task 27; access=public"`
		Ten
	}
	Task28 struct {
		cap.Read[cap.None] `cap:"Do task 28; access=public"`
		Ten
	}
	Task29 struct {
		cap.Read[cap.None] `cap:"Do task 29; access=public"`
		Ten
	}
	Task30 struct {
		cap.Read[cap.None] `cap:"Do task 30; access=public"`
		Ten
	}
	Task31 struct {
		cap.Read[cap.None] `cap:"Do task 31; access=public"`
		Ten
	}
	Task32 struct {
		cap.Read[cap.None] `cap:"Do task 32; access=public"`
		Ten
	}
	Task33 struct {
		cap.Read[cap.None] `cap:"Do task 33; access=public"`
		Ten
	}
	Task34 struct {
		cap.Read[cap.None] `cap:"Do task 34; access=public"`
		Ten
	}
	Task35 struct {
		cap.Read[cap.None] `cap:"Do task 35; access=public"`
		Ten
	}
	Task36 struct {
		cap.Read[cap.None] `cap:"Do task 36; access=public"`
		Ten
	}
	Task37 struct {
		cap.Read[cap.None] `cap:"Do task 37; access=public"`
		Ten
	}
	Task38 struct {
		cap.Read[cap.None] `cap:"Do task 38; access=public"`
		Ten
	}
	Task39 struct {
		cap.Read[cap.None] `cap:"Do task 39; access=public"`
		Ten
	}
	Task40 struct {
		cap.Read[cap.None] `cap:"Do task 40; access=public"`
		Ten
	}
	Task41 struct {
		cap.Read[cap.None] `cap:"Do task 41; access=public"`
		Ten
	}
	Task42 struct {
		cap.Read[cap.None] `cap:"Do task 42; access=public"`
		Ten
	}
	Task43 struct {
		cap.Read[cap.None] `cap:"Do task 43; access=public"`
		Ten
	}
	Task44 struct {
		cap.Read[cap.None] `cap:"Do task 44; access=public"`
		Ten
	}
	Task45 struct {
		cap.Read[cap.None] `cap:"Do task 45; access=public"`
		Ten
	}
	Task46 struct {
		cap.Read[cap.None] `cap:"Do task 46; access=public"`
		Ten
	}
	Task47 struct {
		cap.Read[cap.None] `cap:"Do task 47; access=public"`
		Ten
	}
	Task48 struct {
		cap.Read[cap.None] `cap:"Do task 48; access=public"`
		Ten
	}
	Task49 struct {
		cap.Read[cap.None] `cap:"Do task 49; access=public"`
		Ten
	}
	Task50 struct {
		cap.Read[cap.None] `cap:"Do task 50; access=public"`
		Ten
	}
)

func (Fifty) Task01(context.Context, Task01) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task02(context.Context, Task02) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task03(context.Context, Task03) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task04(context.Context, Task04) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task05(context.Context, Task05) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task06(context.Context, Task06) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task07(context.Context, Task07) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task08(context.Context, Task08) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task09(context.Context, Task09) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task10(context.Context, Task10) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task11(context.Context, Task11) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task12(context.Context, Task12) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task13(context.Context, Task13) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task14(context.Context, Task14) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task15(context.Context, Task15) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task16(context.Context, Task16) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task17(context.Context, Task17) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task18(context.Context, Task18) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task19(context.Context, Task19) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task20(context.Context, Task20) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task21(context.Context, Task21) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task22(context.Context, Task22) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task23(context.Context, Task23) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task24(context.Context, Task24) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task25(context.Context, Task25) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task26(context.Context, Task26) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task27(context.Context, Task27) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task28(context.Context, Task28) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task29(context.Context, Task29) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task30(context.Context, Task30) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task31(context.Context, Task31) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task32(context.Context, Task32) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task33(context.Context, Task33) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task34(context.Context, Task34) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task35(context.Context, Task35) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task36(context.Context, Task36) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task37(context.Context, Task37) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task38(context.Context, Task38) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task39(context.Context, Task39) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task40(context.Context, Task40) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task41(context.Context, Task41) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task42(context.Context, Task42) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task43(context.Context, Task43) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task44(context.Context, Task44) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task45(context.Context, Task45) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task46(context.Context, Task46) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task47(context.Context, Task47) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task48(context.Context, Task48) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task49(context.Context, Task49) (cap.None, error) { return cap.None{}, nil }
func (Fifty) Task50(context.Context, Task50) (cap.None, error) { return cap.None{}, nil }
