package adaptertest

import (
	"fmt"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Echo returns what it is given: one field for every kind of JSON.
type Echo struct {
	cap.Read[Echoed] `cap:"Return what is given; access=public"`

	Values
	Secret string `json:"secret,omitempty" cap:"Never shown; secret"`
}

// Echoed is the output of [Echo].
type Echoed struct{ Values }

// Values is one field for every kind of JSON.
type Values struct {
	Text     string            `json:"text,omitempty"     cap:"Text; example=hello" validate:"max=40"`
	Whole    int64             `json:"whole,omitempty"    cap:"Integer of 64 bits"`
	Big      uint64            `json:"big,omitempty"      cap:"Integer without a sign"`
	Small    int8              `json:"small,omitempty"    cap:"Integer of 8 bits" validate:"max=100"`
	Number   float64           `json:"number,omitempty"   cap:"Number"`
	Flag     bool              `json:"flag,omitempty"     cap:"Yes or no"`
	Level    string            `json:"level,omitempty"    cap:"One of three" validate:"oneof=low mid high"`
	At       time.Time         `json:"at,omitzero"        cap:"Point in time"`
	Span     time.Duration     `json:"span,omitempty"     cap:"Length of time"`
	Bytes    []byte            `json:"bytes,omitempty"    cap:"Bytes, in base64"`
	Maybe    cap.Maybe[int]    `json:"maybe,omitzero"     cap:"Absent, null or a number"`
	List     []string          `json:"list"               cap:"Texts; default=[]" validate:"max=3,dive,max=5"`
	Map      map[string]int    `json:"map"                cap:"Numbers by name; default={}"`
	Item     *Box              `json:"item,omitempty"     cap:"An object in the object"`
	Fallback int               `json:"fallback"           cap:"Has a default; default=7"`
	Flags    map[string][]bool `json:"flags,omitempty"    cap:"Lists by name"`
}

// Box is an object in an object.
type Box struct {
	ID   string `json:"id"   cap:"Id of the box" validate:"required"`
	Size int    `json:"size" cap:"Size, in cm"   validate:"min=0"`
}

// Item is an output with a citation.
type Item struct {
	ID   string        `json:"id"   cap:"Id of the item" validate:"required"`
	Size int           `json:"size" cap:"Size, in cm"    validate:"min=0"`
	Ref  cap.ObjectRef `json:"ref"  cap:"The item itself; cite"`
}

// FindItem fails in the declared ways, or answers with a citation.
type FindItem struct {
	cap.Read[Item] `cap:"Find an item; access=public"`

	_ cap.Fails[ItemNotFound]
	_ cap.Fails[ItemBroken]

	ID string `json:"id" cap:"Id of the item; example=a-1" validate:"required"`
}

// ItemNotFound is a failure with a fixed fix.
type ItemNotFound struct {
	_  cap.Failure `cap:"No item has this id; fix=List the items and pick one." http:"status=404"`
	ID string      `json:"id"`
}

func (f ItemNotFound) Error() string { return "There is no item " + f.ID + "." }

// ItemBroken is a failure whose fix depends on its values.
type ItemBroken struct {
	_     cap.Failure `cap:"The item is broken; retry=2s"`
	ID    string      `json:"id"`
	Parts []int64     `json:"parts"`
}

func (f ItemBroken) Error() string { return "Item <" + f.ID + "> is broken." }

// Fix implements cap.Fixer.
func (f ItemBroken) Fix() string { return fmt.Sprintf("Replace %d parts & try again.", len(f.Parts)) }

// ListIDs has an output whose JSON is no object.
type ListIDs struct {
	cap.Read[[]string] `cap:"List the ids of all items; access=public"`

	Limit int `json:"limit,omitempty" cap:"At most so many" validate:"max=100"`
}

// Touch returns nothing.
type Touch struct {
	cap.Read[cap.None] `cap:"Do nothing; access=public"`
}

// Whoami tells who calls.
type Whoami struct {
	cap.Read[Caller] `cap:"Tell who calls; access=authenticated"`
}

// Caller is the output of [Whoami].
type Caller struct {
	ID     string   `json:"id"     cap:"Who calls"`
	Tenant string   `json:"tenant" cap:"For which tenant"`
	Scopes []string `json:"scopes" cap:"What the credential was issued for"`
}

// AuditItems needs a scope.
type AuditItems struct {
	cap.Read[cap.None] `cap:"Audit the items; access=authenticated; scope=audit"`
}

// OpenDrawer asks an access rule.
type OpenDrawer struct {
	cap.Read[cap.None] `cap:"Open a drawer; access=rule"`

	_ cap.Fails[ItemNotFound]

	Owner string `json:"owner" cap:"Whose drawer" validate:"required"`
}

// Break goes wrong in the way that it is told to.
type Break struct {
	cap.Read[Broken] `cap:"Go wrong; access=public; timeout=50ms"`

	How string `json:"how" cap:"In which way" validate:"oneof=error panic nil infinite cite undeclared deep foreign slow"`
}

// Broken is the output of [Break].
type Broken struct {
	Number float64         `json:"number" cap:"A number"`
	Refs   []cap.ObjectRef `json:"refs"   cap:"What it speaks of; cite"`
}

// RenameItem changes something that can be undone.
type RenameItem struct {
	cap.Write[Item] `cap:"Rename an item; access=authenticated; reversible"`

	_ cap.Fails[ItemNotFound]

	ID  string `json:"id"            cap:"Id of the item" validate:"required"`
	To  string `json:"to"            cap:"Its new id"     validate:"required,max=20"`
	Pin string `json:"pin,omitempty" cap:"Pin of the owner; secret"`
}

// Describe implements cap.Describer.
func (in RenameItem) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "rename", Target: refOf(in.ID), Args: map[string]string{"to": in.To}}
}

// WipeItems acts with the host's power.
type WipeItems struct {
	cap.Host[cap.None] `cap:"Wipe all items; access=authenticated; irreversible; destructive"`

	Shelf string `json:"shelf" cap:"Which shelf; default=all"`
}

// Describe implements cap.Describer.
func (in WipeItems) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "wipe", Target: cap.ObjectRef{Product: "store", Kind: "shelf", ID: in.Shelf}}
}

// BreakWrite goes wrong after its effect may have happened.
type BreakWrite struct {
	cap.Write[cap.None] `cap:"Go wrong after the effect; access=authenticated; irreversible"`

	Item string `json:"item" cap:"Id of an item" validate:"required"`
}

// Describe implements cap.Describer.
func (in BreakWrite) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "break", Target: refOf(in.Item)}
}

func refOf(id string) cap.ObjectRef { return cap.ObjectRef{Product: "store", Kind: "item", ID: id} }
