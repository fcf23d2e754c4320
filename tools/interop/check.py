"""Engines read the demo's datasets as lith wrote them; lith reads datasets as the engines wrote them.

usage: check.py LITH SCRATCH    (SCRATCH/demo holds what `lith demo --scale 0.01 --output` wrote)

Every engine answers with the same few facts about the orders, and all answers must be equal.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import duckdb
import polars
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.orc as orc
import pyarrow.parquet as pq

LITH, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
EXPECTED = {"rows": 100_000, "S01": 40_000, "S02": 32_500, "S03": 27_500, "star": 7_000}
failures = []


def facts(columns):
    """The facts from plain Python columns."""
    stores, products = columns["store_id"], columns["product_id"]
    count = {store: stores.count(store) for store in ("S01", "S02", "S03")}
    star = sum(s == "S01" and p == "P004" for s, p in zip(stores, products))
    cents = sum(round(revenue * 100) for revenue in columns["revenue"])
    return {"rows": len(stores), **count, "star": star, "quantity": sum(columns["quantity"]), "cents": cents}


def lith(path):
    names = "store_id,product_id,revenue,quantity"
    text = subprocess.run([LITH, "scan", path, "-c", names, "-f", "jsonl"], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in text.stdout.splitlines()]
    return facts({name: [row[name] for row in rows] for name in names.split(",")})


def with_pyarrow(path, form):
    return facts(ds.dataset(path, format=form, partitioning="hive").to_table().to_pydict())


QUERY = """
select count(*) as rows, count_if(store_id = 'S01') as "S01", count_if(store_id = 'S02') as "S02",
       count_if(store_id = 'S03') as "S03", count_if(store_id = 'S01' and product_id = 'P004') as star,
       cast(sum(quantity) as bigint) as quantity, cast(sum(round(revenue * 100)) as bigint) as cents
from {}
"""


def with_duckdb(path):
    source = f"read_parquet('{path}/**/*.parquet', hive_partitioning = true)"
    result = duckdb.sql(QUERY.format(source))
    return dict(zip(result.columns, result.fetchall()[0]))


def with_polars(path):
    return facts(polars.read_parquet(f"{path}/**/*.parquet", hive_partitioning=True).to_dict(as_series=False))


def with_spark(spark, path, form):
    spark.read.format(form).load(path).createOrReplaceTempView("orders")
    return spark.sql(QUERY.format("orders").replace('"', "`")).first().asDict()


def expect(name, actual, expected):
    wrong = {key: (actual.get(key), value) for key, value in expected.items() if actual.get(key) != value}
    print(f"{name}: {'agrees' if not wrong else f'DIFFERS (is, should be): {wrong}'}")
    if wrong:
        failures.append(name)


def spark_session():
    """A local Spark, or None where there is no Java."""
    if not shutil.which("java"):
        print("Spark is left out: there is no Java")
        return None
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master("local[2]").appName("interop")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def they_read_ours(spark):
    path = str(SCRATCH / "demo" / "orders_parquet")
    reference = lith(path)
    expect("lith reads lith's Parquet", reference, EXPECTED)
    expect("pyarrow reads lith's Parquet", with_pyarrow(path, "parquet"), reference)
    expect("DuckDB reads lith's Parquet", with_duckdb(path), reference)
    expect("Polars reads lith's Parquet", with_polars(path), reference)
    if spark:
        expect("Spark reads lith's Parquet", with_spark(spark, path, "parquet"), reference)

    path = str(SCRATCH / "demo" / "orders_orc")
    expect("lith reads lith's ORC", lith(path), reference)
    expect("pyarrow reads lith's ORC", with_pyarrow(path, "orc"), reference)
    if spark:
        expect("Spark reads lith's ORC", with_spark(spark, path, "orc"), reference)
    return reference


def we_read_theirs(spark, reference):
    ours = str(SCRATCH / "demo" / "orders_parquet")
    orders = ds.dataset(ours, format="parquet", partitioning="hive").to_table()

    path = str(SCRATCH / "by_pyarrow")
    pq.write_to_dataset(orders, path, partition_cols=["store_id"])
    expect("lith reads pyarrow's Parquet", lith(path), reference)

    path = str(SCRATCH / "by_duckdb")
    duckdb.sql(f"copy (from orders) to '{path}' (format parquet, partition_by (store_id))")
    expect("lith reads DuckDB's Parquet", lith(path), reference)

    path = SCRATCH / "by_polars.parquet"
    polars.from_arrow(orders).write_parquet(path)
    expect("lith reads Polars' Parquet", lith(str(path)), reference)

    path = SCRATCH / "by_pyarrow.orc"
    orc.write_table(orders.cast(plain(orders.schema)), str(path))
    expect("lith reads pyarrow's ORC", lith(str(path)), reference)

    for form in ("parquet", "orc") if spark else ():
        path = str(SCRATCH / f"by_spark_{form}")
        spark.read.parquet(ours).write.format(form).partitionBy("store_id").save(path)
        expect(f"lith reads Spark's {form}", lith(path), reference)


def plain(schema):
    """The schema with dictionaries as what they stand for: ORC has no such type."""
    decode = lambda t: t.value_type if pa.types.is_dictionary(t) else t
    return pa.schema([field.with_type(decode(field.type)) for field in schema])


spark = spark_session()
reference = they_read_ours(spark)
we_read_theirs(spark, reference)
sys.exit(f"{len(failures)} of the above differ" if failures else 0)
