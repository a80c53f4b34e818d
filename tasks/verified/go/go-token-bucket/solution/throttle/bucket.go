package throttle

import (
	"errors"
	"sync"
	"time"
)

// Bucket holds up to burst tokens and gains one token per interval.
type Bucket struct {
	mu       sync.Mutex
	clock    Clock
	interval time.Duration
	burst    int
	tokens   int
	latest   time.Time // the latest time the clock has shown
	since    time.Time // the moment from which the next token is counted
}

// NewBucket returns a full bucket.
func NewBucket(clock Clock, interval time.Duration, burst int) (*Bucket, error) {
	if interval <= 0 {
		return nil, errors.New("interval must be positive")
	}
	if burst < 1 {
		return nil, errors.New("burst must be at least 1")
	}
	now := clock.Now()
	return &Bucket{
		clock:    clock,
		interval: interval,
		burst:    burst,
		tokens:   burst,
		latest:   now,
		since:    now,
	}, nil
}

// refill adds the whole tokens gained up to the latest time seen and keeps
// the begun interval. A full bucket counts nothing. The caller holds mu.
func (b *Bucket) refill() {
	if now := b.clock.Now(); now.After(b.latest) {
		b.latest = now
	}
	gained := int64(b.latest.Sub(b.since) / b.interval)
	if gained >= int64(b.burst-b.tokens) {
		b.tokens = b.burst
		b.since = b.latest
		return
	}
	b.tokens += int(gained)
	b.since = b.since.Add(time.Duration(gained) * b.interval)
}

// Tokens tells how many tokens are in the bucket now.
func (b *Bucket) Tokens() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return b.tokens
}

// Allow takes n tokens if there are that many.
func (b *Bucket) Allow(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if n < 0 || n > b.tokens {
		return false
	}
	b.tokens -= n
	return true
}

// Refund puts n tokens back that were taken but not used.
func (b *Bucket) Refund(n int) {
	if n <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if n >= b.burst-b.tokens {
		b.tokens = b.burst
		return
	}
	b.tokens += n
}

// Wait tells how long it takes until n tokens are there, and whether that
// can ever be. It takes nothing.
func (b *Bucket) Wait(n int) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if n < 0 || n > b.burst {
		return 0, false
	}
	missing := n - b.tokens
	if missing <= 0 {
		return 0, true
	}
	return time.Duration(missing)*b.interval - b.latest.Sub(b.since), true
}
