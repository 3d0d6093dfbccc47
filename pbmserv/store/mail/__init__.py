"""Mail: what came, what leaves, and how much may leave for whom."""
