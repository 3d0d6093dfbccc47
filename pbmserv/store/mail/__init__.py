"""Mail: the inbox, the outbox, and the budgets of what may be sent."""
