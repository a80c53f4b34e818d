package route

import "fmt"

type entry struct {
	name    string
	pattern Pattern
}

// Table holds named routes.
type Table struct {
	entries []entry
}

// NewTable returns a table without routes.
func NewTable() *Table {
	return &Table{}
}

// Names lists the names of the routes in the order in which they were added.
func (t *Table) Names() []string {
	names := make([]string, 0, len(t.entries))
	for _, e := range t.entries {
		names = append(names, e.name)
	}
	return names
}

// Path writes the path of the named route.
func (t *Table) Path(name string, values map[string]string) (string, error) {
	for _, e := range t.entries {
		if e.name == name {
			return e.pattern.Build(values)
		}
	}
	return "", fmt.Errorf("no route %q", name)
}

// Add puts a route into the table.
func (t *Table) Add(name, template string) error {
	return errNotWritten
}

// Find looks for the route of a request's path. It returns the route's name
// and the values of its parameters.
func (t *Table) Find(path string) (name string, values map[string]string, found bool) {
	return "", nil, false
}
