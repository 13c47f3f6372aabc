//go:build !peers

package sdk

var (
	registrations []registration
	_             = register[struct{}, struct{}]
)
