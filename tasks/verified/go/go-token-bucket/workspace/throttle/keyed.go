package throttle

import (
	"sort"
	"strings"
	"sync"
	"time"
)

// Keyed keeps one bucket per key, made when the key first asks for tokens.
type Keyed struct {
	mu       sync.Mutex
	clock    Clock
	interval time.Duration
	burst    int
	buckets  map[string]*Bucket
}

// NewKeyed returns a limiter without any buckets.
func NewKeyed(clock Clock, interval time.Duration, burst int) (*Keyed, error) {
	if _, err := NewBucket(clock, interval, burst); err != nil {
		return nil, err
	}
	return &Keyed{
		clock:    clock,
		interval: interval,
		burst:    burst,
		buckets:  map[string]*Bucket{},
	}, nil
}

// canonical is the form in which keys are stored and compared.
func canonical(key string) string {
	return strings.ToLower(strings.TrimSpace(key))
}

// Allow takes n tokens from the bucket of key.
func (k *Keyed) Allow(key string, n int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	name := canonical(key)
	bucket, known := k.buckets[name]
	if !known {
		bucket, _ = NewBucket(k.clock, k.interval, k.burst)
		k.buckets[name] = bucket
	}
	return bucket.Allow(n)
}

// Wait tells how long key has to wait for n tokens. A key without a bucket
// is answered as if its bucket were full; no bucket is made.
func (k *Keyed) Wait(key string, n int) (time.Duration, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	bucket, known := k.buckets[key]
	if !known {
		return 0, true
	}
	return bucket.Wait(n)
}

// Keys lists the keys that have a bucket, in ascending order.
func (k *Keyed) Keys() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys := make([]string, 0, len(k.buckets))
	for key := range k.buckets {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// Sweep drops every full bucket and tells how many it dropped.
func (k *Keyed) Sweep() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	dropped := 0
	for key, bucket := range k.buckets {
		if bucket.tokens >= k.burst {
			delete(k.buckets, key)
			dropped++
		}
	}
	return dropped
}
