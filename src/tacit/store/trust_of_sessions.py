"""The migration that lowers the trust of what agents said and ran: it was a person's if a person had imported it."""

from __future__ import annotations

# Payloads are stored with sorted keys, and a damaged one is no JSON.
_IS_OTHERS = """substr(payload, 1, 11) = '{"author":"' AND substr(payload, 1, 16) <> '{"author":"user"'"""

AGENTS_WORDS = (
    f"""UPDATE records SET trust = 1 WHERE trust = 3 AND actor = 'user'
        AND (kind IN ('session', 'recap') OR (kind = 'turn' AND {_IS_OTHERS}))
        AND 0 >= (SELECT coalesce(sum(CASE t.name WHEN 'approved' THEN t.count WHEN 'unapproved' THEN -t.count
          ELSE 0 END), 0) FROM tallies t WHERE t.tenant = records.tenant AND t.subject = records.id)""",
    # What is derived from these, however far.
    """WITH RECURSIVE low(tenant, id) AS (
        SELECT tenant, id FROM records WHERE kind IN ('session', 'turn', 'recap') AND trust = 1
        UNION SELECT l.tenant, l.source FROM low JOIN links l ON l.tenant = low.tenant AND l.target = low.id
        WHERE l.relation = 'derived_from' AND l.until IS NULL)
        UPDATE records SET trust = 1 WHERE trust > 1 AND (tenant, id) IN (SELECT tenant, id FROM low)""",
)
"""The same steps on both stores; `trust_of` gives the same for what is written now."""
