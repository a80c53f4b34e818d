// Package route finds the handler's name for a path and writes paths for names.
package route

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Kind says what a segment of a template matches.
type Kind string

const (
	Literal Kind = "literal" // this very text
	Int     Kind = "int"     // a parameter: one or more digits 0-9
	Any     Kind = "any"     // a parameter: any text that is not empty
	Rest    Kind = "rest"    // a parameter: this segment and all that follow
)

// Segment is one piece of a template between slashes. Text is the literal
// text, or the name of the parameter.
type Segment struct {
	Kind Kind
	Text string
}

// String writes the segment as it stands in a template.
func (s Segment) String() string {
	switch s.Kind {
	case Int:
		return "{" + s.Text + ":int}"
	case Any:
		return "{" + s.Text + "}"
	case Rest:
		return "{" + s.Text + "...}"
	}
	return s.Text
}

// SplitPath cuts the path of a request at its slashes and then decodes the
// percent escapes of each piece. The path "/" has no segments; a slash at the
// end makes a last segment that is empty.
func SplitPath(path string) ([]string, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, errors.New(`path must begin with "/"`)
	}
	if path == "/" {
		return []string{}, nil
	}
	pieces := strings.Split(path[1:], "/")
	for i, piece := range pieces {
		decoded, err := url.PathUnescape(piece)
		if err != nil {
			return nil, fmt.Errorf("bad escape in path segment %q", piece)
		}
		pieces[i] = decoded
	}
	return pieces, nil
}
