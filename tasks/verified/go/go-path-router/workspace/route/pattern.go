package route

import (
	"errors"
	"strings"
)

var errNotWritten = errors.New("not written yet")

// Pattern is a template that has been read.
type Pattern struct {
	Segments []Segment
}

// String writes the template again.
func (p Pattern) String() string {
	if len(p.Segments) == 0 {
		return "/"
	}
	var out strings.Builder
	for _, segment := range p.Segments {
		out.WriteString("/" + segment.String())
	}
	return out.String()
}

// Parse reads a template.
func Parse(template string) (Pattern, error) {
	return Pattern{}, errNotWritten
}

// Build writes a path from the template and values for its parameters.
func (p Pattern) Build(values map[string]string) (string, error) {
	return "", errNotWritten
}
