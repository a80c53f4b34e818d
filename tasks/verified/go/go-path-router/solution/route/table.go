package route

import (
	"fmt"
	"strings"
)

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
	for _, e := range t.entries {
		if e.name == name {
			return fmt.Errorf("route %q exists already", name)
		}
	}
	pattern, err := Parse(template)
	if err != nil {
		return fmt.Errorf("route %q: %w", name, err)
	}
	for _, e := range t.entries {
		if sameShape(e.pattern, pattern) {
			return fmt.Errorf("route %q clashes with %q", name, e.name)
		}
	}
	t.entries = append(t.entries, entry{name: name, pattern: pattern})
	return nil
}

// sameShape tells whether two patterns differ at most in parameter names.
func sameShape(a, b Pattern) bool {
	if len(a.Segments) != len(b.Segments) {
		return false
	}
	for i, left := range a.Segments {
		right := b.Segments[i]
		if left.Kind != right.Kind || (left.Kind == Literal && left.Text != right.Text) {
			return false
		}
	}
	return true
}

// Find looks for the route of a request's path. It returns the route's name
// and the values of its parameters.
func (t *Table) Find(path string) (name string, values map[string]string, found bool) {
	pieces, err := SplitPath(path)
	if err != nil {
		return "", nil, false
	}
	all := make([]*entry, 0, len(t.entries))
	for i := range t.entries {
		all = append(all, &t.entries[i])
	}
	best := search(all, pieces, 0)
	if best == nil {
		return "", nil, false
	}
	values = map[string]string{}
	for i, segment := range best.pattern.Segments {
		switch segment.Kind {
		case Int, Any:
			values[segment.Text] = pieces[i]
		case Rest:
			values[segment.Text] = strings.Join(pieces[i:], "/")
		}
	}
	return best.name, values, true
}

// search narrows the candidates, which all match pieces[:depth] in the same
// way, segment by segment and turns back where no candidate is left.
func search(candidates []*entry, pieces []string, depth int) *entry {
	if depth == len(pieces) {
		for _, e := range candidates {
			if len(e.pattern.Segments) == depth {
				return e
			}
		}
		return nil
	}
	piece := pieces[depth]
	for _, kind := range []Kind{Literal, Int, Any, Rest} {
		var fitting []*entry
		for _, e := range candidates {
			if len(e.pattern.Segments) <= depth {
				continue
			}
			segment := e.pattern.Segments[depth]
			if segment.Kind == kind && fits(segment, piece) {
				fitting = append(fitting, e)
			}
		}
		if len(fitting) == 0 {
			continue
		}
		if kind == Rest {
			return fitting[0]
		}
		if best := search(fitting, pieces, depth+1); best != nil {
			return best
		}
	}
	return nil
}

func fits(segment Segment, piece string) bool {
	switch segment.Kind {
	case Literal:
		return piece == segment.Text
	case Int:
		return isDigits(piece)
	case Any:
		return piece != ""
	}
	return true
}
