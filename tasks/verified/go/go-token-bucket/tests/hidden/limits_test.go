package hidden_test

import (
	"testing"
	"time"

	"example.com/throttle/throttle"
)

type stubClock struct{ now time.Time }

func (c *stubClock) Now() time.Time        { return c.now }
func (c *stubClock) shift(d time.Duration) { c.now = c.now.Add(d) }

func start() *stubClock {
	return &stubClock{now: time.Date(2025, 11, 30, 23, 59, 50, 0, time.UTC)}
}

func bucketOf(t *testing.T, clock throttle.Clock, interval time.Duration, burst int) *throttle.Bucket {
	t.Helper()
	bucket, err := throttle.NewBucket(clock, interval, burst)
	if err != nil {
		t.Fatalf("NewBucket: %v", err)
	}
	return bucket
}

func keyedOf(t *testing.T, clock throttle.Clock, interval time.Duration, burst int) *throttle.Keyed {
	t.Helper()
	limiter, err := throttle.NewKeyed(clock, interval, burst)
	if err != nil {
		t.Fatalf("NewKeyed: %v", err)
	}
	return limiter
}

func wantTokens(t *testing.T, bucket *throttle.Bucket, want int) {
	t.Helper()
	if got := bucket.Tokens(); got != want {
		t.Fatalf("Tokens() = %d, want %d", got, want)
	}
}

func TestBegunIntervalIsNotLost(t *testing.T) {
	clock := start()
	bucket := bucketOf(t, clock, time.Second, 10)
	bucket.Allow(10)
	clock.shift(1600 * time.Millisecond)
	wantTokens(t, bucket, 1)
	clock.shift(1600 * time.Millisecond)
	wantTokens(t, bucket, 3)
	clock.shift(800 * time.Millisecond)
	wantTokens(t, bucket, 4)
}

func TestFullBucketSavesNoTime(t *testing.T) {
	clock := start()
	bucket := bucketOf(t, clock, time.Second, 2)
	clock.shift(900 * time.Millisecond)
	if !bucket.Allow(2) {
		t.Fatal("Allow(2) = false, want true")
	}
	clock.shift(900 * time.Millisecond)
	wantTokens(t, bucket, 0)
	clock.shift(100 * time.Millisecond)
	wantTokens(t, bucket, 1)
	clock.shift(1300 * time.Millisecond)
	if !bucket.Allow(2) {
		t.Fatal("second Allow(2) = false, want true")
	}
	clock.shift(999 * time.Millisecond)
	wantTokens(t, bucket, 0)
	clock.shift(time.Millisecond)
	wantTokens(t, bucket, 1)
}

func TestClockThatGoesBackStandsStill(t *testing.T) {
	clock := start()
	bucket := bucketOf(t, clock, time.Second, 9)
	bucket.Allow(9)
	clock.shift(5300 * time.Millisecond)
	wantTokens(t, bucket, 5)
	clock.shift(-4 * time.Second)
	wantTokens(t, bucket, 5)
	clock.shift(4 * time.Second)
	wantTokens(t, bucket, 5)
	clock.shift(700 * time.Millisecond)
	wantTokens(t, bucket, 6)
}

func TestRefusedRequestTakesNothing(t *testing.T) {
	bucket := bucketOf(t, start(), time.Second, 5)
	if !bucket.Allow(2) {
		t.Fatal("Allow(2) = false, want true")
	}
	if bucket.Allow(4) {
		t.Fatal("Allow(4) = true, want false")
	}
	wantTokens(t, bucket, 3)
}

func TestNegativeRequestIsRefused(t *testing.T) {
	bucket := bucketOf(t, start(), time.Second, 5)
	bucket.Allow(4)
	if bucket.Allow(-2) {
		t.Error("Allow(-2) = true, want false")
	}
	wantTokens(t, bucket, 1)
}

func TestRefundStopsAtBurst(t *testing.T) {
	clock := start()
	bucket := bucketOf(t, clock, time.Minute, 6)
	bucket.Allow(4)
	bucket.Refund(1)
	wantTokens(t, bucket, 3)
	bucket.Refund(100)
	wantTokens(t, bucket, 6)
	if bucket.Allow(7) {
		t.Error("Allow(7) = true with a burst of 6")
	}
}

func TestWaitCountsTheBegunInterval(t *testing.T) {
	clock := start()
	bucket := bucketOf(t, clock, 10*time.Second, 4)
	bucket.Allow(4)
	clock.shift(3 * time.Second)
	for n, want := range map[int]time.Duration{1: 7 * time.Second, 3: 27 * time.Second} {
		got, possible := bucket.Wait(n)
		if got != want || !possible {
			t.Errorf("Wait(%d) = %v, %v, want %v, true", n, got, possible, want)
		}
	}
	clock.shift(7 * time.Second)
	if got, possible := bucket.Wait(1); got != 0 || !possible {
		t.Errorf("Wait(1) = %v, %v, want 0s, true", got, possible)
	}
}

func TestWaitForMoreThanBurstIsHopeless(t *testing.T) {
	clock := start()
	bucket := bucketOf(t, clock, time.Second, 3)
	if got, possible := bucket.Wait(4); got != 0 || possible {
		t.Errorf("Bucket.Wait(4) = %v, %v, want 0s, false", got, possible)
	}
	limiter := keyedOf(t, clock, time.Second, 3)
	if got, possible := limiter.Wait("nobody", 4); got != 0 || possible {
		t.Errorf("Keyed.Wait(nobody, 4) = %v, %v, want 0s, false", got, possible)
	}
	if keys := limiter.Keys(); len(keys) != 0 {
		t.Errorf("Keys() = %q, want none", keys)
	}
}

func TestWaitFindsTheKeyInAnySpelling(t *testing.T) {
	limiter := keyedOf(t, start(), 4*time.Second, 2)
	limiter.Allow("Printer", 2)
	for _, key := range []string{"printer", "Printer", "  PRINTER\t"} {
		got, possible := limiter.Wait(key, 2)
		if got != 8*time.Second || !possible {
			t.Errorf("Wait(%q, 2) = %v, %v, want 8s, true", key, got, possible)
		}
	}
}

func TestSweepDropsBucketsThatFilledUp(t *testing.T) {
	clock := start()
	limiter := keyedOf(t, clock, time.Second, 5)
	limiter.Allow("quick", 1)
	limiter.Allow("slow", 4)
	clock.shift(2 * time.Second)
	if got := limiter.Sweep(); got != 1 {
		t.Fatalf("Sweep() = %d, want 1", got)
	}
	if keys := limiter.Keys(); len(keys) != 1 || keys[0] != "slow" {
		t.Fatalf("Keys() = %q, want [slow]", keys)
	}
	clock.shift(2 * time.Second)
	if got := limiter.Sweep(); got != 1 {
		t.Fatalf("second Sweep() = %d, want 1", got)
	}
}

func TestSweepKeepsBucketsInUse(t *testing.T) {
	limiter := keyedOf(t, start(), time.Second, 5)
	limiter.Allow("busy", 2)
	limiter.Allow("asked for nothing", 0)
	if got := limiter.Sweep(); got != 1 {
		t.Fatalf("Sweep() = %d, want 1", got)
	}
	if limiter.Allow("busy", 4) {
		t.Error("the swept limiter forgot what busy had taken")
	}
}
