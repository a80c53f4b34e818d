package public_test

import (
	"testing"

	"example.com/signpost/route"
)

func TestPathIsCutAndThenDecoded(t *testing.T) {
	pieces, err := route.SplitPath("/a%2Fb/c%20d/")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a/b", "c d", ""}
	if len(pieces) != len(want) {
		t.Fatalf("got %q, want %q", pieces, want)
	}
	for i := range want {
		if pieces[i] != want[i] {
			t.Errorf("piece %d = %q, want %q", i, pieces[i], want[i])
		}
	}
}

func TestRootPathHasNoPieces(t *testing.T) {
	pieces, err := route.SplitPath("/")
	if err != nil || len(pieces) != 0 {
		t.Fatalf("got %q, %v", pieces, err)
	}
}

func TestUnreadablePathsAreRefused(t *testing.T) {
	for path, want := range map[string]string{
		"a/b":    `path must begin with "/"`,
		"/a/%g1": `bad escape in path segment "%g1"`,
	} {
		_, err := route.SplitPath(path)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}

func TestPatternIsWrittenAsTemplate(t *testing.T) {
	pattern := route.Pattern{Segments: []route.Segment{
		{Kind: route.Literal, Text: "u"},
		{Kind: route.Int, Text: "id"},
		{Kind: route.Any, Text: "tab"},
		{Kind: route.Rest, Text: "more"},
	}}
	if got := pattern.String(); got != "/u/{id:int}/{tab}/{more...}" {
		t.Errorf("got %s", got)
	}
	if got := (route.Pattern{}).String(); got != "/" {
		t.Errorf("without segments: got %s", got)
	}
}

func TestEmptyTableKnowsNothing(t *testing.T) {
	table := route.NewTable()
	if name, _, found := table.Find("/"); found || name != "" {
		t.Errorf("Find = %q, %v", name, found)
	}
	if names := table.Names(); len(names) != 0 {
		t.Errorf("Names = %q", names)
	}
	_, err := table.Path("home", nil)
	if err == nil || err.Error() != `no route "home"` {
		t.Errorf("Path: error %v", err)
	}
}
