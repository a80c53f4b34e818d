package hidden_test

import (
	"testing"

	"example.com/signpost/route"
)

func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("%s: error %v, want %s", what, err, want)
	}
}

func tableOf(t *testing.T, pairs ...string) *route.Table {
	t.Helper()
	table := route.NewTable()
	for i := 0; i < len(pairs); i += 2 {
		if err := table.Add(pairs[i], pairs[i+1]); err != nil {
			t.Fatalf("Add(%q, %q): %v", pairs[i], pairs[i+1], err)
		}
	}
	return table
}

// wantFound checks the name and exactly the given parameters.
func wantFound(t *testing.T, table *route.Table, path, name string, pairs ...string) {
	t.Helper()
	gotName, values, found := table.Find(path)
	if !found || gotName != name {
		t.Errorf("Find(%q) = %q, %v, want %q", path, gotName, found, name)
		return
	}
	if len(values) != len(pairs)/2 {
		t.Errorf("Find(%q): values %q, want %q", path, values, pairs)
	}
	for i := 0; i < len(pairs); i += 2 {
		if got, given := values[pairs[i]]; !given || got != pairs[i+1] {
			t.Errorf("Find(%q): value of %s = %q, %v, want %q", path, pairs[i], got, given, pairs[i+1])
		}
	}
}

func wantNothing(t *testing.T, table *route.Table, path string) {
	t.Helper()
	if name, values, found := table.Find(path); found || name != "" || len(values) != 0 {
		t.Errorf("Find(%q) = %q, %q, %v, want nothing", path, name, values, found)
	}
}

func TestTemplatesBecomeSegments(t *testing.T) {
	pattern, err := route.Parse("/shop/{shop_1:int}/it%20em/{x}/{tail...}")
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]string{{"literal", "shop"}, {"int", "shop_1"}, {"literal", "it%20em"}, {"any", "x"}, {"rest", "tail"}}
	if len(pattern.Segments) != len(want) {
		t.Fatalf("%d segments, want %d", len(pattern.Segments), len(want))
	}
	for i, segment := range pattern.Segments {
		if string(segment.Kind) != want[i][0] || segment.Text != want[i][1] {
			t.Errorf("segment %d = %s %s, want %s", i+1, string(segment.Kind), segment.Text, want[i])
		}
	}
	root, err := route.Parse("/")
	if err != nil || len(root.Segments) != 0 {
		t.Errorf("root: %d segments, %v", len(root.Segments), err)
	}
}

func TestRefusedTemplates(t *testing.T) {
	check := func(t *testing.T, cases [][2]string) {
		for _, c := range cases {
			_, err := route.Parse(c[0])
			wantError(t, c[0], err, c[1])
		}
	}
	t.Run("spelling", func(t *testing.T) {
		check(t, [][2]string{
			{"", `template must begin with "/"`},
			{"a/{b}", `template must begin with "/"`},
			{"/a//b", "segment 2 is empty"},
			{"/a/", "segment 2 is empty"},
			{"/v{n}", "segment 1 has stray braces"},
			{"/a/{b", "segment 2 has stray braces"},
			{"/{a}{b}", "segment 1 has stray braces"},
			{"/{}", `segment 1 has bad parameter name ""`},
			{"/{Id:int}", `segment 1 has bad parameter name "Id"`},
			{"/{1st}", `segment 1 has bad parameter name "1st"`},
			{"/{a:int...}", `segment 1 has bad parameter name "a:int"`},
			{"/{a:}", `segment 1 has unknown type ""`},
			{"/{a:uint:int}", `segment 1 has unknown type "uint:int"`},
		})
	})
	t.Run("places_and_repeats", func(t *testing.T) {
		check(t, [][2]string{
			{"/{a}/b/{a:int}", `segment 3 repeats parameter "a"`},
			{"/{a}/{a...}/c", `segment 2 repeats parameter "a"`},
			{"/{a...}/{a}", "segment 1 must be the last"},
			{"/{a...}/", "segment 1 must be the last"},
		})
	})
}

func TestMostExactRouteIsFound(t *testing.T) {
	table := tableOf(t,
		"rest", "/{all...}",
		"any", "/item/{key}",
		"int", "/item/{id:int}",
		"new", "/item/new",
		"seven", "/item/7",
		"root", "/",
	)
	wantFound(t, table, "/", "root")
	wantFound(t, table, "/item/new", "new")
	wantFound(t, table, "/item/7", "seven")
	wantFound(t, table, "/item/007", "int", "id", "007")
	wantFound(t, table, "/item/-7", "any", "key", "-7")
	wantFound(t, table, "/item/a%2Fb", "any", "key", "a/b")
	wantFound(t, table, "/item", "rest", "all", "item")
	wantFound(t, table, "/item/", "rest", "all", "item/")
	wantNothing(t, table, "item/new")
	wantNothing(t, table, "/item/%zz")
}

func TestSearchTurnsBackFromDeadEnds(t *testing.T) {
	table := tableOf(t,
		"literal first", "/a/{x}/end",
		"digits", "/{n:int}/b/c",
		"two", "/{p}/{q}",
		"three", "/{p}/b/{r}",
		"deep", "/a/{rest...}",
	)
	wantFound(t, table, "/a/b/end", "literal first", "x", "b")
	wantFound(t, table, "/a/b/d", "deep", "rest", "b/d")
	wantFound(t, table, "/5/b/c", "digits", "n", "5")
	wantFound(t, table, "/5/b/d", "three", "p", "5", "r", "d")
	wantFound(t, table, "/5/z", "two", "p", "5", "q", "z")
	wantFound(t, table, "/a/z", "deep", "rest", "z")
	wantFound(t, table, "/a/", "deep", "rest", "")
	wantNothing(t, table, "/5/z/c")
	wantNothing(t, table, "/a")
}

func TestRestTakesAllThatFollows(t *testing.T) {
	table := tableOf(t, "file", "/files/{path...}", "own", "/files/{owner}/{path...}")
	wantFound(t, table, "/files/top.txt", "file", "path", "top.txt")
	wantFound(t, table, "/files/ann/x%20y//z/", "own", "owner", "ann", "path", "x y//z/")
	wantFound(t, table, "/files//x", "file", "path", "/x")
	wantFound(t, table, "/files/ann/", "own", "owner", "ann", "path", "")
	wantNothing(t, table, "/files")
	wantNothing(t, table, "/other/top.txt")
}

func TestTableRefusesClashes(t *testing.T) {
	table := tableOf(t, "user", "/u/{id:int}", "tab", "/u/{id:int}/{tab}")
	wantError(t, "same name", table.Add("user", "no slash"), `route "user" exists already`)
	wantError(t, "bad template", table.Add("bad", "/a/{b"), `route "bad": segment 2 has stray braces`)
	wantError(t, "same shape", table.Add("page", "/u/{n:int}/{part}"), `route "page" clashes with "tab"`)
	for _, pair := range [][2]string{{"page", "/u/{n}/{part}"}, {"bad", "/v/{id:int}"}} {
		if err := table.Add(pair[0], pair[1]); err != nil {
			t.Errorf("Add(%q, %q): %v", pair[0], pair[1], err)
		}
	}
	names := table.Names()
	want := []string{"user", "tab", "page", "bad"}
	if len(names) != len(want) {
		t.Fatalf("Names() = %q, want %q", names, want)
	}
	for i := range want {
		if names[i] != want[i] {
			t.Errorf("Names()[%d] = %q, want %q", i, names[i], want[i])
		}
	}
}

func TestPathsAreWrittenWithEscapes(t *testing.T) {
	table := tableOf(t, "root", "/", "doc", "/the docs/{id:int}/{title}/{path...}")
	got, err := table.Path("doc", map[string]string{"id": "04", "title": "a/b c", "path": "x y/ä/"})
	if want := "/the%20docs/04/a%2Fb%20c/x%20y/%C3%A4/"; err != nil || got != want {
		t.Errorf("Path(doc) = %q, %v, want %q", got, err, want)
	}
	wantFound(t, table, got, "doc", "id", "04", "title", "a/b c", "path", "x y/ä/")
	if got, err := table.Path("root", nil); err != nil || got != "/" {
		t.Errorf("Path(root) = %q, %v", got, err)
	}
}

func TestUnfitValuesAreRefused(t *testing.T) {
	pattern, err := route.Parse("/a/{id:int}/{tab}/{path...}")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id, tab, path string
		want          string
	}{
		{"-", "t", "p", `no value for "id"`},
		{"", "t", "p", `value for "id" is empty`},
		{"4x", "", "p", `value for "id" is not a number: "4x"`},
		{"+4", "t", "p", `value for "id" is not a number: "+4"`},
		{"4", "", "p", `value for "tab" is empty`},
		{"4", "-", "", `no value for "tab"`},
		{"4", "t", "", `value for "path" is empty`},
		{"4", "t", "/p", `value for "path" begins with a slash`},
	} {
		values := map[string]string{"zeta": "z", "beta": "b"}
		for name, value := range map[string]string{"id": c.id, "tab": c.tab, "path": c.path} {
			if value != "-" {
				values[name] = value
			}
		}
		_, err := pattern.Build(values)
		wantError(t, c.id+" "+c.tab+" "+c.path, err, c.want)
	}
	_, err = pattern.Build(map[string]string{"zeta": "z", "id": "4", "beta": "b", "tab": "t", "path": "p"})
	wantError(t, "too many values", err, `no parameter "beta"`)
}
