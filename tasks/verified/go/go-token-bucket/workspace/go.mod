module example.com/throttle

go 1.22
