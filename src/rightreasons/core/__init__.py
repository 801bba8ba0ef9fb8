"""What every package uses: pairs, labels, parts, the registry, options, errors, formatting."""
