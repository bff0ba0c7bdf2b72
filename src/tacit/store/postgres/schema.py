"""The tables of the PostgreSQL store, their row policies, and the numbered steps that create them.

Texts sort by their bytes (`COLLATE "C"`), as in SQLite, independent of the database's locale. Payloads and times are
texts and bytes, so that hashes and exports are equal on both stores.
"""

from __future__ import annotations

from tacit.store.trust_of_sessions import AGENTS_WORDS

NAME = "tacit"
"""The schema that contains all of this."""

_TEXT = 'text COLLATE "C"'

_RECORD_FIELDS = f"""
  tenant {_TEXT} NOT NULL, id {_TEXT} NOT NULL, kind {_TEXT} NOT NULL, scope {_TEXT} NOT NULL, key {_TEXT},
  status {_TEXT} NOT NULL, title {_TEXT} NOT NULL, body {_TEXT} NOT NULL, tags {_TEXT} NOT NULL,
  importance double precision NOT NULL, origin {_TEXT} NOT NULL, actor {_TEXT} NOT NULL, version integer NOT NULL,
  created_at {_TEXT} NOT NULL, updated_at {_TEXT} NOT NULL, at {_TEXT}, trust integer NOT NULL,
  payload {_TEXT} NOT NULL, payload_v integer NOT NULL, hash {_TEXT} NOT NULL"""

# Makes a role a member.
_LET_IN = """CREATE OR REPLACE FUNCTION let_in(who name, into_tenant text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO tacit.members(role, tenant) VALUES (who, into_tenant) ON CONFLICT DO NOTHING;
      EXECUTE format('GRANT USAGE ON SCHEMA tacit TO %I', who);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA tacit TO %I', who);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON tacit.scopes, tacit.epochs, tacit.records, tacit.versions,
        tacit.facets, tacit.links, tacit.events, tacit.seals, tacit.tallies, tacit.once, tacit.vectors, tacit.search,
        tacit.indexed TO %I', who);
      EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA tacit TO %I', who);
    END $$"""

# Who may see which tenant. Only the owner of the schema writes here.
_MEMBERS = (
    f"CREATE TABLE members(role name NOT NULL, tenant {_TEXT} NOT NULL, PRIMARY KEY(role, tenant))",
    # The tenant a transaction requested, if the role that logged in is a member; else NULL, and no row is visible.
    """CREATE FUNCTION my_tenant() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
       SET search_path = tacit, pg_temp AS $$
         SELECT tenant FROM tacit.members
         WHERE role = session_user AND tenant = current_setting('tacit.tenant', true) COLLATE "C"
       $$""",
    _LET_IN,
)

_TABLES = (
    f"CREATE TABLE meta(name {_TEXT} PRIMARY KEY, value {_TEXT} NOT NULL)",
    f"CREATE TABLE migrations(number integer PRIMARY KEY, name {_TEXT} NOT NULL, applied_at {_TEXT} NOT NULL)",
    f"""CREATE TABLE scopes(number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant {_TEXT} NOT NULL,
        scope {_TEXT} NOT NULL, UNIQUE(tenant, scope))""",
    # Rows are only ever added, so that writers never wait for each other here.
    f"""CREATE TABLE epochs(tenant {_TEXT} NOT NULL, scope {_TEXT} NOT NULL, seq bigint NOT NULL,
        PRIMARY KEY(tenant, scope, seq))""",
    f"CREATE TABLE records(n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, {_RECORD_FIELDS}, UNIQUE(tenant, id))",
    """CREATE UNIQUE INDEX records_key ON records(tenant, scope, kind, key)
       WHERE key IS NOT NULL AND status <> 'retired'""",
    "CREATE INDEX records_importance ON records(tenant, scope, status, kind, importance, created_at, id)",
    f"CREATE TABLE versions({_RECORD_FIELDS}, until {_TEXT} NOT NULL, PRIMARY KEY(tenant, id, version))",
    f"""CREATE TABLE facets(tenant {_TEXT} NOT NULL, name {_TEXT} NOT NULL, value {_TEXT} NOT NULL, id {_TEXT} NOT NULL,
        PRIMARY KEY(tenant, name, value, id))""",
    f"""CREATE TABLE links(tenant {_TEXT} NOT NULL, source {_TEXT} NOT NULL, relation {_TEXT} NOT NULL,
        target {_TEXT} NOT NULL, scope {_TEXT} NOT NULL, since {_TEXT} NOT NULL, until {_TEXT},
        weight double precision NOT NULL, payload {_TEXT} NOT NULL,
        PRIMARY KEY(tenant, source, relation, target, scope, since))""",
    "CREATE INDEX links_target ON links(tenant, target, relation)",
    "CREATE SEQUENCE event_numbers",
    f"""CREATE TABLE events(tenant {_TEXT} NOT NULL, seq bigint NOT NULL, at {_TEXT} NOT NULL, actor {_TEXT} NOT NULL,
        type {_TEXT} NOT NULL, subject {_TEXT} NOT NULL, scope {_TEXT} NOT NULL, session {_TEXT} NOT NULL,
        digest {_TEXT} NOT NULL, salt bytea, payload {_TEXT}, PRIMARY KEY(tenant, seq))""",
    "CREATE INDEX events_subject ON events(tenant, subject, seq)",
    f"""CREATE TABLE seals(tenant {_TEXT} NOT NULL, number bigint NOT NULL, first bigint NOT NULL, last bigint NOT NULL,
        hash {_TEXT} NOT NULL, PRIMARY KEY(tenant, number))""",
    f"""CREATE TABLE tallies(tenant {_TEXT} NOT NULL, subject {_TEXT} NOT NULL, name {_TEXT} NOT NULL,
        count bigint NOT NULL, PRIMARY KEY(tenant, subject, name))""",
    f"CREATE TABLE once(tenant {_TEXT} NOT NULL, key {_TEXT} NOT NULL, at {_TEXT} NOT NULL, PRIMARY KEY(tenant, key))",
    f"""CREATE TABLE vectors(tenant {_TEXT} NOT NULL, id {_TEXT} NOT NULL, model {_TEXT} NOT NULL,
        scope {_TEXT} NOT NULL, stamp bigint NOT NULL, kind {_TEXT} NOT NULL, status {_TEXT} NOT NULL,
        vector bytea NOT NULL, PRIMARY KEY(tenant, id, model))""",
    "CREATE INDEX vectors_stamp ON vectors(tenant, model, scope, stamp)",
    f"""CREATE TABLE search(tenant {_TEXT} NOT NULL, n bigint NOT NULL, id {_TEXT} NOT NULL, length integer NOT NULL,
        cut boolean NOT NULL, words tsvector NOT NULL, PRIMARY KEY(tenant, n))""",
    "CREATE INDEX search_words ON search USING gin(words)",
    # The version of the token rules by which a tenant's texts were indexed.
    f"CREATE TABLE indexed(tenant {_TEXT} PRIMARY KEY, tokens {_TEXT} NOT NULL)",
)

# PostgreSQL does not run a full-text condition before a row policy, so it would never use the index. The condition is
# therefore part of the policy itself: a transaction's query only narrows what its tenant's own filter token allows.
_WORDS = (
    """CREATE FUNCTION my_gate() RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE
       SET search_path = tacit, pg_temp AS $$ SELECT ('''' || chr(1) || 'T' || md5(my_tenant()) || '''')::tsquery $$""",
    """CREATE FUNCTION my_words() RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE
       SET search_path = tacit, pg_temp AS $$
         SELECT CASE coalesce(current_setting('tacit.words', true), '') WHEN '' THEN my_gate()
           ELSE my_gate() && current_setting('tacit.words', true)::tsquery END
       $$""",
)

# A copy of another store keeps its event numbers; later events must follow them. Others may get numbers
# between the check and the jump: it jumps far ahead, so that it never goes back.
_RESERVE = """CREATE FUNCTION reserve(upto bigint) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = tacit, pg_temp AS $$
      SELECT setval('event_numbers', upto + 10000) FROM event_numbers WHERE last_value < upto
    $$"""

_WALLED = (
    "scopes", "epochs", "records", "versions", "facets", "links", "events", "seals", "tallies", "once", "vectors",
    "indexed",
)  # fmt: skip
_OPEN = ("meta", "migrations")

_WALLS = (
    *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in (*_WALLED, *_OPEN, "search", "members")),
    *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in (*_WALLED, *_OPEN, "search", "members")),
    *(f"CREATE POLICY tenant ON {table} USING (tenant = (SELECT my_tenant()))" for table in _WALLED),
    """CREATE POLICY tenant ON search USING (words @@ (SELECT my_words()))
       WITH CHECK (tenant = (SELECT my_tenant()) AND words @@ (SELECT my_gate()))""",
    *(f"CREATE POLICY readable ON {table} FOR SELECT USING (true)" for table in _OPEN),
    *(f"CREATE POLICY owned ON {table} TO CURRENT_USER USING (true)" for table in (*_OPEN, "members")),
    "CREATE POLICY own ON members FOR SELECT USING (role = session_user)",
)

_FIRST = (*_MEMBERS, *_TABLES, *_WORDS, _RESERVE, *_WALLS)

# What the vectors of a large scope have in common, stored so that not every process has to read them all.
_MOMENTS = (
    f"""CREATE TABLE moments(tenant {_TEXT} NOT NULL, model {_TEXT} NOT NULL, scope {_TEXT} NOT NULL,
        dim integer NOT NULL, count bigint NOT NULL, moment bytea NOT NULL, PRIMARY KEY(tenant, model, scope))""",
    "ALTER TABLE moments ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE moments FORCE ROW LEVEL SECURITY",
    "CREATE POLICY tenant ON moments USING (tenant = (SELECT my_tenant()))",
    _LET_IN.replace("tacit.indexed TO", "tacit.indexed, tacit.moments TO"),
    "SELECT let_in(role, tenant) FROM members WHERE EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role)",
)

# One at a time, and never so far that a member could use up all numbers: only the owner may jump further.
_RESERVE_SOME = """CREATE OR REPLACE FUNCTION reserve(upto bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = tacit, pg_temp AS $$
    DECLARE given bigint;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('tacit.reserve'));
      SELECT last_value INTO given FROM event_numbers;
      IF upto - given > 1000000000 AND NOT pg_has_role(session_user, current_user, 'USAGE') THEN
        RAISE EXCEPTION 'its events are numbered up to %, too far ahead of % here; only the owner may bring them',
          upto, given USING ERRCODE = 'invalid_parameter_value';
      END IF;
      IF upto > given THEN
        PERFORM setval('event_numbers', upto + 10000);
      END IF;
    END $$"""

# A row of one tenant with another's filter token would take up places in the other's search.
_OWN_ROWS = """ALTER POLICY tenant ON search
    USING (tenant = (SELECT my_tenant()) AND words @@ (SELECT my_words()))"""

# Lengths now include the filter tokens, as in a file: each tenant's text index is rebuilt when it is next opened.
_LENGTHS = (
    "ALTER TABLE indexed NO FORCE ROW LEVEL SECURITY",
    "DELETE FROM indexed",
    "ALTER TABLE indexed FORCE ROW LEVEL SECURITY",
)

# The planner's estimates tell every member what the statistics hold, whichever tenant the sampled rows are of. So no
# column of a tenant's table has statistics, and no expression of an index on one. The planner then takes a tenant for a
# small part of a table and reads all of it rather than look up some ids: PostgreSQL 18 can be given the numbers of
# different values, which are the same constants in every store. A negative number is a share of all rows.
DIFFERENT_VALUES = """('tenant', 1), ('scope', 3), ('kind', 3), ('status', 1), ('actor', 3), ('trust', 3), ('model', 1),
    ('name', 30), ('relation', 10), ('type', 50), ('id', -0.5), ('source', -0.5), ('target', -0.3), ('subject', -0.3),
    ('value', -0.2), ('n', -1), ('seq', -1)"""
_NO_STATISTICS = f"""CREATE FUNCTION no_statistics() RETURNS void LANGUAGE plpgsql
    SET search_path = tacit, pg_temp AS $$
    DECLARE one record;
    BEGIN
      FOR one IN
        SELECT c.oid::regclass AS name, c.relname, c.relkind, a.attname, a.attnum, d.different
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_index i ON i.indexrelid = c.oid
        LEFT JOIN (VALUES {DIFFERENT_VALUES}) d(name, different) ON d.name = a.attname
        WHERE c.relnamespace = 'tacit'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
          AND a.attstattarget IS DISTINCT FROM 0 AND (c.relkind = 'r' OR i.indkey[a.attnum - 1] = 0)
      LOOP
        IF one.relkind <> 'r' THEN
          EXECUTE format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS 0', one.name, one.attnum);
          CONTINUE;
        END IF;
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', one.name, one.attname);
        IF one.different IS NOT NULL AND current_setting('server_version_num')::int >= 180000 THEN
          PERFORM pg_restore_attribute_stats('schemaname', 'tacit', 'relname', one.relname::text,
            'attname', one.attname::text, 'inherited', false, 'null_frac', 0::real, 'n_distinct', one.different::real);
        END IF;
      END LOOP;
    END $$"""

# Statistics that were gathered before stay in use. Giving each column the type it has removes them, in every version of
# the server, without rewriting the table. A column that a policy reads cannot be altered: the policies are made again.
_OLD_STATISTICS = """DO $$
    DECLARE one record;
    BEGIN
      FOR one IN
        SELECT c.relname, string_agg(format('ALTER COLUMN %I TYPE %s%s', a.attname,
                 format_type(a.atttypid, a.atttypmod),
                 coalesce(' COLLATE pg_catalog.' || quote_ident(o.collname), '')), ', ') AS changes
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_collation o ON o.oid = a.attcollation
        WHERE c.relnamespace = 'tacit'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
          AND c.relname NOT IN ('meta', 'migrations')
        GROUP BY c.relname
      LOOP
        EXECUTE format('ALTER TABLE tacit.%I %s', one.relname, one.changes);
      END LOOP;
    END $$"""

_POLICIES = (
    *(
        (table, "tenant", f"CREATE POLICY tenant ON {table} USING (tenant = (SELECT my_tenant()))")
        for table in (*_WALLED, "moments")
    ),
    (
        "search", "tenant",
        """CREATE POLICY tenant ON search USING (tenant = (SELECT my_tenant()) AND words @@ (SELECT my_words()))
           WITH CHECK (tenant = (SELECT my_tenant()) AND words @@ (SELECT my_gate()))""",
    ),
    ("members", "own", "CREATE POLICY own ON members FOR SELECT USING (role = session_user)"),
)  # fmt: skip

_PRIVATE_VALUES = (
    *(f"DROP POLICY {policy} ON {table}" for table, policy, _made in _POLICIES),
    _OLD_STATISTICS,
    *(made for _table, _policy, made in _POLICIES),
    _NO_STATISTICS,
    "SELECT no_statistics()",
)

# A member who chooses the number of a row (OVERRIDING SYSTEM VALUE) could take those that other tenants' rows get next.
# So a member may insert into every column but the numbered one.
_NUMBERED_BY_US = (
    """CREATE OR REPLACE FUNCTION let_in(who name, into_tenant text) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE one record;
    BEGIN
      INSERT INTO tacit.members(role, tenant) VALUES (who, into_tenant) ON CONFLICT DO NOTHING;
      EXECUTE format('GRANT USAGE ON SCHEMA tacit TO %I', who);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA tacit TO %I', who);
      EXECUTE format('GRANT INSERT, UPDATE, DELETE ON tacit.epochs, tacit.versions, tacit.facets, tacit.links,
        tacit.events, tacit.seals, tacit.tallies, tacit.once, tacit.vectors, tacit.search, tacit.indexed, tacit.moments
        TO %I', who);
      EXECUTE format('GRANT UPDATE, DELETE ON tacit.scopes, tacit.records TO %I', who);
      FOR one IN
        SELECT attrelid::regclass AS name, string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
        WHERE attrelid IN ('tacit.scopes'::regclass, 'tacit.records'::regclass) AND attnum > 0 AND NOT attisdropped
          AND attidentity = '' GROUP BY attrelid
      LOOP
        EXECUTE format('REVOKE INSERT ON %s FROM %I', one.name, who);
        EXECUTE format('GRANT INSERT (%s) ON %s TO %I', one.columns, one.name, who);
      END LOOP;
      EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA tacit TO %I', who);
    END $$""",
    # From everybody who was ever let in, then back to those who still are.
    """DO $$
    DECLARE one record;
    BEGIN
      FOR one IN
        SELECT DISTINCT c.oid::regclass AS name, pg_get_userbyid(a.grantee) AS who
        FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.oid IN ('tacit.scopes'::regclass, 'tacit.records'::regclass) AND a.privilege_type = 'INSERT'
          AND a.grantee <> 0
      LOOP
        EXECUTE format('REVOKE INSERT ON %s FROM %I', one.name, one.who);
      END LOOP;
    END $$""",
    "SELECT let_in(role, tenant) FROM members WHERE EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role)",
)

# For a moment, the owner sees the rows of all tenants.
_UNWALLED = ("records", "tallies", "links")
_TRUST = (
    *(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in _UNWALLED),
    *AGENTS_WORDS,
    *(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in _UNWALLED),
)

# New words wait in a list until they are merged into the index. A member who adds many lets the list grow, and then
# asks for the merge, which only the owner of the index may do.
_MERGE_WORDS = """CREATE FUNCTION merge_words() RETURNS bigint LANGUAGE sql SECURITY DEFINER
    SET search_path = tacit, pg_temp AS $$ SELECT gin_clean_pending_list('search_words') $$"""

# Clients search large scopes from files of their own, which need to know what changed. The server's index of vectors
# (a column `near`, in stores that were made while pgvector was installed) and what it needed are no longer used.
_SEARCHED_BY_CLIENTS = (
    "DROP FUNCTION IF EXISTS make_near(text, integer)",
    "DROP TABLE moments",
    "ALTER TABLE vectors DROP COLUMN IF EXISTS near",
    _NUMBERED_BY_US[0].replace(", tacit.moments", ""),
    "ALTER TABLE search ADD COLUMN stamp bigint NOT NULL DEFAULT 0",
    # A process of an older version that is still open gives none: its writes fail, where nobody would hear of them.
    "ALTER TABLE search ALTER COLUMN stamp DROP DEFAULT",
    "CREATE INDEX search_stamp ON search(tenant, stamp)",
    _MERGE_WORDS,
    "SELECT no_statistics()",
)

MIGRATIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (1, "the first tables", _FIRST),
    (2, "kept moments, bounded leaps, lengths as in a file", (*_MOMENTS, _RESERVE_SOME, _OWN_ROWS, *_LENGTHS)),
    (3, "no statistics of values, no chosen numbers", (*_PRIVATE_VALUES, *_NUMBERED_BY_US)),
    (4, "what agents said is not the user's", _TRUST),
    (5, "large scopes are searched by clients", _SEARCHED_BY_CLIENTS),
)
NEWEST = MIGRATIONS[-1][0]
