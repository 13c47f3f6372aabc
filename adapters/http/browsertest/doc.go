// Package browsertest holds the pages of the HTTP adapter against a real browser: the documentation and the approvals. It is
// a module of its own, because driving a browser brings a tree of libraries. It needs Chromium or Chrome in the PATH, or
// named by the variable CHROME; without one its tests are skipped, unless CAP_BROWSER=required.
package browsertest
