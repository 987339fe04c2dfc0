from datetime import date, timedelta

start = date.fromisoformat(INPUT["lent"])
days = [start + timedelta(weeks=2 * n) for n in range(1, INPUT["renewals"] + 2)]
RESULT = {"due": [day.isoformat() for day in days]}
