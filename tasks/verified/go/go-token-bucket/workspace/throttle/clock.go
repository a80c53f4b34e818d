// Package throttle limits how often something may happen.
package throttle

import "time"

// Clock tells the time. Callers inject it, so that nothing here sleeps.
type Clock interface {
	Now() time.Time
}
