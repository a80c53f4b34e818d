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
	last     time.Time
}

// NewBucket returns a full bucket.
func NewBucket(clock Clock, interval time.Duration, burst int) (*Bucket, error) {
	if interval <= 0 {
		return nil, errors.New("interval must be positive")
	}
	if burst < 1 {
		return nil, errors.New("burst must be at least 1")
	}
	return &Bucket{
		clock:    clock,
		interval: interval,
		burst:    burst,
		tokens:   burst,
		last:     clock.Now(),
	}, nil
}

// refill adds the tokens gained since the last look. The caller holds mu.
func (b *Bucket) refill() {
	now := b.clock.Now()
	gained := int(now.Sub(b.last) / b.interval)
	if gained == 0 {
		return
	}
	b.tokens += gained
	if b.tokens > b.burst {
		b.tokens = b.burst
	}
	b.last = now
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
	if n > b.tokens {
		b.tokens = 0
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
	b.tokens += n
}

// Wait tells how long it takes until n tokens are there, and whether that
// can ever be. It takes nothing.
func (b *Bucket) Wait(n int) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	missing := n - b.tokens
	if missing <= 0 {
		return 0, true
	}
	return time.Duration(missing) * b.interval, true
}
