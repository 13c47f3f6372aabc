//go:build !peers

package huma

var (
	registrations []registration
	_             = register[struct{}, struct{}]
)
