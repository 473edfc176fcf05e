# Turns the output of BenchmarkAsk into a page: the head, then a table of the least of each policy.
FILENAME != "-" { print; next }
/^goos:/ { os = $2 }
/^goarch:/ { arch = $2 }
/^cpu:/ { sub(/^cpu: /, ""); cpu = $0 }
/^BenchmarkAsk\// {
	name = $1
	sub(/^BenchmarkAsk\//, "", name)
	sub(/-[0-9]+$/, "", name)
	if (!(name in least)) names[++n] = name
	if (!(name in least) || $3 < least[name]) { least[name] = $3; allocs[name] = $7 }
}
END {
	printf "Measured on %s, %s/%s, %s.\n\n", cpu, os, arch, go
	print "| policy | ns per try | allocations |"
	print "|---|---|---|"
	for (i = 1; i <= n; i++) {
		printf "| `%s` | %.1f | %d |\n", names[i], least[names[i]], allocs[names[i]]
	}
}
