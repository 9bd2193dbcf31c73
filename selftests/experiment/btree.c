// SPDX-License-Identifier: GPL-2.0
/*
 * btree ROWS THOUSANDS: so many thousand queries to a table of SQLite in memory, by its key;
 * one in twenty changes the row.
 */
#include <sqlite3.h>
#include <string.h>

#include "work.h"
#include "zipf.h"

#define VALUE	400
#define CHUNK	2000

static sqlite3 *db;
static __u64 sum;

static void check(int result, int want)
{
	if (result != want)
		work_fail("sqlite: %s", sqlite3_errmsg(db));
}

static void execute(const char *text)
{
	check(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
}

static sqlite3_stmt *prepare(const char *text)
{
	sqlite3_stmt *statement;

	check(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK);
	return statement;
}

static void store(sqlite3_stmt *statement, __u64 key, __u64 version)
{
	__u64 value[VALUE / 8];

	for (unsigned int i = 0; i < VALUE / 8; i++)
		value[i] = key * 1000003 + version + i;
	check(sqlite3_bind_blob(statement, 1, value, VALUE, SQLITE_STATIC), SQLITE_OK);
	check(sqlite3_bind_int64(statement, 2, key), SQLITE_OK);
	check(sqlite3_step(statement), SQLITE_DONE);
	check(sqlite3_reset(statement), SQLITE_OK);
}

static void fetch(sqlite3_stmt *statement, __u64 key)
{
	__u64 value[VALUE / 8];

	check(sqlite3_bind_int64(statement, 1, key), SQLITE_OK);
	check(sqlite3_step(statement), SQLITE_ROW);
	memcpy(value, sqlite3_column_blob(statement, 0), VALUE);
	for (unsigned int i = 0; i < VALUE / 8; i++)
		sum = sum * 31 + value[i];
	check(sqlite3_reset(statement), SQLITE_OK);
}

int main(int argc, char **argv)
{
	__u64 rows = work_argument(argc, argv, 1, "the number of rows");
	__u64 queries = work_argument(argc, argv, 2, "thousands of queries") * 1000;
	sqlite3_stmt *insert, *update, *select;
	struct zipf zipf;

	check(sqlite3_open(":memory:", &db), SQLITE_OK);
	execute("create table t (v blob, k integer primary key)");
	insert = prepare("insert into t values (?1, ?2)");
	execute("begin");
	for (__u64 key = 0; key < rows; key++)
		store(insert, key, 0);
	execute("commit");
	update = prepare("update t set v = ?1 where k = ?2");
	select = prepare("select v from t where k = ?1");
	zipf_init(&zipf, rows, 1001);
	work_ready();
	for (__u64 i = 0; i < queries; i++) {
		__u64 key = zipf_next(&zipf);

		if (i % 20 == 19)
			store(update, key, i);
		else
			fetch(select, key);
		if (i % CHUNK == CHUNK - 1)
			work_done(CHUNK);
	}
	work_stop();
	work_end(sum);
	return 0;
}
