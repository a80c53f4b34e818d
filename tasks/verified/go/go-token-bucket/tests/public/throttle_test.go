package public_test

import (
	"sync"
	"testing"
	"time"

	"example.com/throttle/throttle"
)

type handClock struct{ now time.Time }

func (c *handClock) Now() time.Time          { return c.now }
func (c *handClock) advance(d time.Duration) { c.now = c.now.Add(d) }

func newClock() *handClock {
	return &handClock{now: time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)}
}

func newBucket(t *testing.T, clock throttle.Clock, interval time.Duration, burst int) *throttle.Bucket {
	t.Helper()
	bucket, err := throttle.NewBucket(clock, interval, burst)
	if err != nil {
		t.Fatalf("NewBucket: %v", err)
	}
	return bucket
}

func TestNewBucketStartsFull(t *testing.T) {
	bucket := newBucket(t, newClock(), time.Second, 4)
	if got := bucket.Tokens(); got != 4 {
		t.Fatalf("Tokens() = %d, want 4", got)
	}
	if !bucket.Allow(3) {
		t.Fatal("Allow(3) = false, want true")
	}
	if got := bucket.Tokens(); got != 1 {
		t.Fatalf("Tokens() = %d, want 1", got)
	}
}

func TestWholeIntervalsBringTokensUpToBurst(t *testing.T) {
	clock := newClock()
	bucket := newBucket(t, clock, time.Second, 3)
	bucket.Allow(3)
	clock.advance(2 * time.Second)
	if got := bucket.Tokens(); got != 2 {
		t.Fatalf("after two seconds: Tokens() = %d, want 2", got)
	}
	clock.advance(time.Hour)
	if got := bucket.Tokens(); got != 3 {
		t.Fatalf("after an hour: Tokens() = %d, want 3", got)
	}
}

func TestImpossibleSettingsAreRefused(t *testing.T) {
	_, err := throttle.NewBucket(newClock(), 0, 1)
	if err == nil || err.Error() != "interval must be positive" {
		t.Errorf("interval 0: error %v", err)
	}
	_, err = throttle.NewKeyed(newClock(), time.Second, 0)
	if err == nil || err.Error() != "burst must be at least 1" {
		t.Errorf("burst 0: error %v", err)
	}
}

func TestKeysHaveBucketsOfTheirOwn(t *testing.T) {
	limiter, err := throttle.NewKeyed(newClock(), time.Second, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !limiter.Allow("zoe", 1) || !limiter.Allow("adam", 1) {
		t.Fatal("the first token of each key was refused")
	}
	if limiter.Allow(" ZOE ", 1) {
		t.Error("the second token of zoe was given")
	}
	keys := limiter.Keys()
	if len(keys) != 2 || keys[0] != "adam" || keys[1] != "zoe" {
		t.Errorf("Keys() = %q, want [adam zoe]", keys)
	}
}

func TestParallelCallersShareTheTokens(t *testing.T) {
	bucket := newBucket(t, newClock(), time.Second, 20)
	var group sync.WaitGroup
	answers := make([]bool, 50)
	for i := range answers {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			answers[i] = bucket.Allow(1)
		}(i)
	}
	group.Wait()
	given := 0
	for _, answer := range answers {
		if answer {
			given++
		}
	}
	if given != 20 {
		t.Fatalf("%d tokens given, want 20", given)
	}
}
