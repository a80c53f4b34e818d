package route

import (
	"errors"
	"fmt"
	"net/url"
	"sort"
	"strings"
)

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
	if !strings.HasPrefix(template, "/") {
		return Pattern{}, errors.New(`template must begin with "/"`)
	}
	if template == "/" {
		return Pattern{}, nil
	}
	pieces := strings.Split(template[1:], "/")
	used := map[string]bool{}
	segments := make([]Segment, 0, len(pieces))
	for i, piece := range pieces {
		segment, err := parseSegment(piece)
		if err != nil {
			return Pattern{}, fmt.Errorf("segment %d %w", i+1, err)
		}
		if segment.Kind != Literal {
			if used[segment.Text] {
				return Pattern{}, fmt.Errorf("segment %d repeats parameter %q", i+1, segment.Text)
			}
			used[segment.Text] = true
		}
		if segment.Kind == Rest && i != len(pieces)-1 {
			return Pattern{}, fmt.Errorf("segment %d must be the last", i+1)
		}
		segments = append(segments, segment)
	}
	return Pattern{Segments: segments}, nil
}

func parseSegment(piece string) (Segment, error) {
	if piece == "" {
		return Segment{}, errors.New("is empty")
	}
	if !strings.ContainsAny(piece, "{}") {
		return Segment{Kind: Literal, Text: piece}, nil
	}
	if len(piece) < 2 || piece[0] != '{' || piece[len(piece)-1] != '}' || strings.ContainsAny(piece[1:len(piece)-1], "{}") {
		return Segment{}, errors.New("has stray braces")
	}
	name, kind := piece[1:len(piece)-1], Any
	kindName, typed := "", false
	if short, rest := strings.CutSuffix(name, "..."); rest {
		name, kind = short, Rest
	} else {
		name, kindName, typed = strings.Cut(name, ":")
	}
	if !goodName(name) {
		return Segment{}, fmt.Errorf("has bad parameter name %q", name)
	}
	if typed {
		if kindName != "int" {
			return Segment{}, fmt.Errorf("has unknown type %q", kindName)
		}
		kind = Int
	}
	return Segment{Kind: kind, Text: name}, nil
}

func goodName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || (c != '_' && (c < '0' || c > '9'))) {
			return false
		}
	}
	return name != ""
}

func isDigits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

// Build writes a path from the template and values for its parameters.
func (p Pattern) Build(values map[string]string) (string, error) {
	known := map[string]bool{}
	var out strings.Builder
	for _, segment := range p.Segments {
		text := segment.Text
		if segment.Kind != Literal {
			value, given := values[segment.Text]
			switch {
			case !given:
				return "", fmt.Errorf("no value for %q", segment.Text)
			case value == "":
				return "", fmt.Errorf("value for %q is empty", segment.Text)
			case segment.Kind == Int && !isDigits(value):
				return "", fmt.Errorf("value for %q is not a number: %q", segment.Text, value)
			case segment.Kind == Rest && value[0] == '/':
				return "", fmt.Errorf("value for %q begins with a slash", segment.Text)
			}
			known[segment.Text] = true
			text = value
		}
		pieces := []string{text}
		if segment.Kind == Rest {
			pieces = strings.Split(text, "/")
		}
		for _, piece := range pieces {
			out.WriteString("/" + url.PathEscape(piece))
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !known[name] {
			return "", fmt.Errorf("no parameter %q", name)
		}
	}
	if out.Len() == 0 {
		return "/", nil
	}
	return out.String(), nil
}
