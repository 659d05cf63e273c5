import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ConfigError, readConfig, readStoreConfig, secretsOf } from "../../src/config.ts";
import { mistypedNames } from "../../src/expected-values.ts";
import { withoutPassword } from "../../src/shown-value.ts";

const token = "token-of-a-test.abc.def";
const secretKey = Buffer.alloc(32, 7).toString("base64");

function refused(environment: Record<string, string>): readonly string[] {
  try {
    readConfig({ DISCORD_TOKEN: token, ...environment });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    for (const line of error.lines) assert.ok(error.message.includes(line));
    return error.lines;
  }
  return assert.fail(`accepted ${JSON.stringify(environment)}`);
}

function onlyLine(environment: Record<string, string>): string {
  const [line, ...rest] = refused(environment);
  assert.deepEqual(rest, []);
  return line ?? assert.fail("no line");
}

function accepted(environment: Record<string, string>) {
  return readConfig({ DISCORD_TOKEN: token, ...environment });
}

describe("the environment as a Config", () => {
  test("a token alone is enough: everything else has its default", () => {
    assert.deepEqual(readConfig({ DISCORD_TOKEN: token, HOME: "/root" }), {
      discordToken: token,
      discordApiUrl: "https://discord.com/api",
      serviceUrl: "https://api.erlc.gg",
      storeUrl: "sqlite:data/marshal.sqlite",
      historyUrl: "sqlite:data/history.sqlite",
      opsAddress: { host: "127.0.0.1", port: 9464 },
      shards: "auto",
      serversPerGuild: 10,
      publicAddresses: [],
      badKeyBudget: 9,
      logLevel: "info",
    });
  });

  test("a history in the store's own file is refused in one line, however the two are written", () => {
    const own =
      /^HISTORY_URL: the file of STORE_URL was found; expected another file, such as sqlite:.*\.sqlite$/;
    for (const [STORE_URL, HISTORY_URL] of [
      ["sqlite:data/marshal.sqlite", "sqlite:./data/marshal.sqlite"],
      ["sqlite:data/history.sqlite", undefined],
      [undefined, "sqlite:data/../data/marshal.sqlite"],
    ] as const) {
      const given = {
        ...(STORE_URL === undefined ? {} : { STORE_URL }),
        ...(HISTORY_URL === undefined ? {} : { HISTORY_URL }),
      };
      assert.match(onlyLine(given), own);
      assert.throws(() => readStoreConfig(given), ConfigError);
    }
    assert.equal(
      accepted({ STORE_URL: "sqlite:data/history.sqlite", HISTORY_URL: "" }).historyUrl,
      undefined,
    );
  });

  test("no token: one error that names .env.example and npm run sandbox", () => {
    for (const environment of [{}, { DISCORD_TOKEN: "" }, { DISCORD_TOKEN: "  " }]) {
      assert.throws(
        () => readConfig(environment),
        (error: unknown) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.lines.length, 1);
          assert.match(error.message, /DISCORD_TOKEN: nothing was set/);
          assert.match(error.message, /\.env\.example/);
          assert.match(error.message, /npm run sandbox/);
          return true;
        },
      );
    }
  });

  test("all bad variables are listed at once, one line each", () => {
    const lines = refused({
      DISCORD_TOKEN: "two words",
      DISCORD_API_URL: "discord.com",
      SERVICE_URL: "ftp://api.erlc.gg",
      SERVICE_GLOBAL_KEY: "a b",
      STORE_URL: "mysql://localhost",
      HISTORY_URL: "mysql://localhost/marshal",
      SECRET_KEY: "short",
      OPS_ADDRESS: "9464",
      SHARDS: "all",
      SERVERS_PER_GUILD: "0",
      BAD_KEY_BUDGET: "3",
      MAP_IMAGE: "map.png,0,0,0,0",
      DOCS_URL: "docs",
      LOG_LEVEL: "loud",
    });
    const names = [
      "DISCORD_TOKEN DISCORD_API_URL SERVICE_URL SERVICE_GLOBAL_KEY STORE_URL HISTORY_URL SECRET_KEY OPS_ADDRESS SHARDS SERVERS_PER_GUILD BAD_KEY_BUDGET MAP_IMAGE DOCS_URL LOG_LEVEL",
    ].flatMap((all) => all.split(" "));
    assert.deepEqual(lines.map((line) => line.split(":")[0]).sort(), names.sort());
    for (const line of lines) {
      assert.match(line, /was found.*; expected \S/);
      assert.ok(!line.includes("\n"));
    }
  });

  test("servers per guild are a whole number of one or more", () => {
    assert.equal(accepted({ SERVERS_PER_GUILD: "25" }).serversPerGuild, 25);
    for (const bad of ["0", "-1", "2.5", "many", "1e9"])
      assert.match(onlyLine({ SERVERS_PER_GUILD: bad }), /expected a whole number of 1 or more/);
  });

  test("the budget of bad keys is a whole number from 4 to 1000", () => {
    assert.equal(accepted({ BAD_KEY_BUDGET: "40" }).badKeyBudget, 40);
    for (const bad of ["3", "1001", "8.5", "few"])
      assert.match(onlyLine({ BAD_KEY_BUDGET: bad }), /expected a whole number from 4 to 1000/);
  });

  test("spaces around a value are dropped, and an empty value counts as none", () => {
    const config = accepted({ DISCORD_TOKEN: ` ${token}\n`, LOG_LEVEL: "", SHARDS: " auto " });
    assert.equal(config.discordToken, token);
    assert.equal(config.logLevel, "info");
  });

  test("a token in quotes or with a space in it is refused without being shown", () => {
    const invisible = "\u200b";
    for (const bad of [`"${token}"`, `Bot ${token}`, `\u201c${token}\u201d`, `${token}${invisible}`]) {
      assert.match(onlyLine({ SERVICE_GLOBAL_KEY: bad }), /^SERVICE_GLOBAL_KEY: a text of/);
      const line = onlyLine({ DISCORD_TOKEN: bad });
      assert.match(line, /a text of \d+ characters was found/);
      assert.ok(!line.includes(token));
    }
  });

  test("addresses are taken with any path and port, without a slash at the end", () => {
    assert.equal(
      accepted({ DISCORD_API_URL: "http://127.0.0.1:4681/api/" }).discordApiUrl,
      "http://127.0.0.1:4681/api",
    );
    assert.equal(accepted({ SERVICE_URL: "http://[::1]:4690/" }).serviceUrl, "http://[::1]:4690");
  });

  test("an address with credentials or a query is refused, and the credentials are not shown", () => {
    const line = onlyLine({ SERVICE_URL: "https://user:hunter2@api.erlc.gg" });
    assert.match(line, /no user or password/);
    assert.ok(!line.includes("hunter2"));
    assert.match(onlyLine({ DISCORD_API_URL: "https://discord.com/api?v=9" }), /ends with its path/);
  });

  test("the retired address of the service is refused with the reason", () => {
    const line = onlyLine({ SERVICE_URL: "https://api.policeroleplay.community/v1" });
    assert.match(line, /retired/);
    assert.match(line, /https:\/\/api\.erlc\.gg/);
    assert.match(onlyLine({ SERVICE_URL: "https://api.policeroleplay.community./v1" }), /retired/);
  });

  test("a global key is kept where one is given", () => {
    assert.equal(accepted({ SERVICE_GLOBAL_KEY: "global-key" }).serviceGlobalKey, "global-key");
    assert.ok(!("serviceGlobalKey" in accepted({})));
  });

  test("stores: sqlite with any path, redis and rediss; nothing else", () => {
    assert.equal(
      accepted({ STORE_URL: "sqlite:/var/lib/a b.sqlite" }).storeUrl,
      "sqlite:/var/lib/a b.sqlite",
    );
    for (const url of ["redis://localhost:6379", "rediss://user:pw@cache.example:6380/1"]) {
      assert.equal(accepted({ STORE_URL: url, SECRET_KEY: secretKey }).storeUrl, url);
    }
    for (const url of ["sqlite:", "data/marshal.sqlite", "http://localhost"]) {
      assert.match(onlyLine({ STORE_URL: url }), /expected sqlite:PATH/);
    }
  });

  test("a bad store address does not show the password in it", () => {
    for (const bad of [
      "postgres://marshal:hunter2@db/marshal",
      "redis://:a/hunter2@cache:6379",
      "redis:hunter2@cache",
      "http://:a@hunter2@cache",
    ]) {
      const line = onlyLine({ STORE_URL: bad, SECRET_KEY: secretKey });
      assert.ok(!line.includes("hunter2"), line);
    }
    const line = onlyLine({ HISTORY_URL: "postgres://marshal:a/hunter2@db/marshal" });
    assert.ok(!line.includes("hunter2"), line);
    assert.match(line, /a slash is %2F/);
    assert.equal(withoutPassword("redis://:a@hunter2@cache:6379"), "redis://[hidden]@cache:6379");
  });

  test("a password in the query of an address, which PostgreSQL takes as well, is hidden like one before the @", () => {
    const bad = onlyLine({ HISTORY_URL: "postgres://db.example?user=marshal&password=hunter2" });
    assert.ok(!bad.includes("hunter2"), bad);
    const environment = {
      DISCORD_TOKEN: token,
      HISTORY_URL: "postgres://db/marshal?password=hunter%202&user=m",
    };
    const secrets = secretsOf(readConfig(environment), environment);
    assert.ok(secrets.includes("hunter 2"), secrets.join());
  });

  test("a password with a bare percent sign is one line, and not a defect of the start", () => {
    for (const bad of [
      { STORE_URL: "redis://:50%hunter2@cache", SECRET_KEY: secretKey },
      { HISTORY_URL: "postgres://marshal:50%hunter2@db/marshal" },
      { HISTORY_URL: "postgres://50%:hunter2@db/marshal" },
    ]) {
      const line = onlyLine(bad);
      assert.match(line, /a percent sign is %25/);
      assert.ok(!line.includes("hunter2"), line);
    }
    for (const good of ["redis://:50%25off@cache", "redis://:p%2Fss@cache", "rediss://cache"])
      assert.equal(accepted({ STORE_URL: good, SECRET_KEY: secretKey }).storeUrl, good);
  });

  test("the history stands beside the store, elsewhere where one says so, and is off where it is empty", () => {
    const beside = accepted({ STORE_URL: "sqlite:/var/lib/marshal/marshal.sqlite" });
    assert.equal(beside.historyUrl, "sqlite:/var/lib/marshal/history.sqlite");
    assert.equal(accepted({ HISTORY_URL: "sqlite:h.sqlite" }).historyUrl, "sqlite:h.sqlite");
    const postgres = "postgres://marshal:pw@db.example/marshal";
    assert.equal(accepted({ HISTORY_URL: postgres }).historyUrl, postgres);
    assert.ok(!("historyUrl" in accepted({ HISTORY_URL: "" })));
    for (const url of ["data/history.sqlite", "postgres://db.example", "redis://localhost/1"]) {
      assert.match(onlyLine({ HISTORY_URL: url }), /expected sqlite:PATH or postgres:/);
    }
  });

  test("beside Redis the history is off by default, and a file is refused", () => {
    const redis = { STORE_URL: "redis://localhost", SECRET_KEY: secretKey };
    assert.ok(!("historyUrl" in accepted(redis)));
    assert.match(onlyLine({ ...redis, HISTORY_URL: "sqlite:h.sqlite" }), /can't share a file/);
  });

  test("the secret is 32 bytes in base64, of either alphabet, padded or not", () => {
    const bytes = Buffer.from("fbffbe".repeat(10).concat("abcd"), "hex");
    for (const form of [bytes.toString("base64"), bytes.toString("base64url")]) {
      assert.deepEqual(Buffer.from(accepted({ SECRET_KEY: form }).secretKey ?? []), bytes);
    }
    assert.match(onlyLine({ SECRET_KEY: Buffer.alloc(16).toString("base64") }), /it has 16 bytes/);
    assert.match(onlyLine({ SECRET_KEY: "not base64!".repeat(4) }), /not base64/);
  });

  test("redis without a secret is refused: its processes have to share one", () => {
    assert.match(onlyLine({ STORE_URL: "redis://localhost" }), /^SECRET_KEY: nothing was set/);
  });

  test("the ops address takes names, IPv6 and port 0; empty turns it off", () => {
    assert.deepEqual(accepted({ OPS_ADDRESS: "0.0.0.0:0" }).opsAddress, { host: "0.0.0.0", port: 0 });
    assert.deepEqual(accepted({ OPS_ADDRESS: "[::1]:9464" }).opsAddress, { host: "::1", port: 9464 });
    assert.ok(!("opsAddress" in accepted({ OPS_ADDRESS: "" })));
    for (const bad of ["localhost", ":9464", "localhost:70000", "http://localhost:1"]) {
      assert.match(onlyLine({ OPS_ADDRESS: bad }), /expected HOST:PORT/);
    }
  });

  test("shards: auto, a block of a total, or any block of a size", () => {
    const shared = { STORE_URL: "redis://localhost:6379", SECRET_KEY: secretKey };
    const accept = (SHARDS: string) => accepted({ ...shared, SHARDS }).shards;
    assert.deepEqual(accept("0-3/4"), { ids: [0, 1, 2, 3], count: 4 });
    assert.deepEqual(accept("0/1"), { ids: [0], count: 1 });
    assert.deepEqual(accept("4-7/16"), { ids: [4, 5, 6, 7], count: 16 });
    assert.deepEqual(accept("any:4/16"), { any: 4, count: 16 });
    assert.match(onlyLine({ ...shared, SHARDS: "any:5/16" }), /16 shards cannot be divided into blocks of 5/);
    assert.match(onlyLine({ ...shared, SHARDS: "any:17/16" }), /a block has 1 to 16 of 16 shards/);
    assert.match(
      onlyLine({ SHARDS: "any:4/16" }),
      /"any:4\/16" was found; .* with sqlite there is one process/,
    );
    assert.match(onlyLine({ SHARDS: "0-3/4" }), /"0-3\/4" was found; .* with sqlite there is one process/);
    assert.match(onlyLine({ SHARDS: "0-16/16" }), /of 16 shards the last is 15/);
    assert.match(onlyLine({ SHARDS: "3-1/16" }), /first shard comes after the last/);
    assert.match(onlyLine({ SHARDS: "0-3" }), /expected auto/);
  });

  test("a secret pasted into the wrong variable is not shown", () => {
    const pasted = `${"M".repeat(24)}.Gabcde.${"x".repeat(38)}`;
    for (const line of [
      onlyLine({ LOG_LEVEL: pasted }),
      onlyLine({ SHARDS: token }),
      onlyLine({ SHARDS: secretKey }),
      onlyLine({ PUBLIC_ADDRESS: pasted }),
      onlyLine({ PUBLIC_ADDRESS: `203.0.113.7,${token}` }),
    ]) {
      assert.match(line, /a text of \d+ characters was found/);
      assert.ok(!line.includes(pasted) && !line.includes(token) && !line.includes(secretKey));
    }
  });

  test("what must never be written: token, global key, secret and the store's password", () => {
    const environment = {
      DISCORD_TOKEN: token,
      SERVICE_GLOBAL_KEY: "global-key",
      SECRET_KEY: secretKey,
      STORE_URL: "redis://u:p%40ss@h",
      HISTORY_URL: "postgres://u:hunter2@h/d",
    };
    assert.deepEqual(secretsOf(readConfig(environment), environment), [
      token,
      "global-key",
      secretKey,
      "p%40ss",
      "p@ss",
      "hunter2",
      "hunter2",
    ]);
  });

  test("the permission to run commands: an application's id, addresses that owners can trust, one family", () => {
    const { serviceAppId, publicAddresses, serviceFamily } = accepted({
      SERVICE_APP_ID: "1182736451",
      PUBLIC_ADDRESS: "203.0.113.7, 2001:db8::7",
      SERVICE_FAMILY: "6",
    });
    assert.deepEqual(
      [serviceAppId, publicAddresses, serviceFamily],
      ["1182736451", ["203.0.113.7", "2001:db8::7"], 6],
    );
    assert.match(onlyLine({ PUBLIC_ADDRESS: "my.host" }), /"my.host" is no address/);
    for (const own of ["192.168.1.20", "127.0.0.1", "10.0.0.4", "100.64.0.1", "fe80::1", "::1"])
      assert.match(onlyLine({ PUBLIC_ADDRESS: own }), /only seen in your own network/);
    for (const bad of ["5", "both"]) assert.match(onlyLine({ SERVICE_FAMILY: bad }), /expected 4 or 6/);
    assert.match(
      onlyLine({ SERVICE_APP_ID: "an id" }),
      /expected the id of your public application, without spaces/,
    );
  });

  test("a secret before is taken only beside a new one, and is hidden in the log", () => {
    const given = { DISCORD_TOKEN: token, SECRET_KEY_OLD: secretKey };
    assert.throws(() => readConfig(given), /SECRET_KEY: nothing was set; expected the new secret/);
    const both = { ...given, SECRET_KEY: Buffer.alloc(32, 9).toString("base64") };
    assert.equal(readConfig(both).secretKeyOld?.length, 32);
    assert.ok(secretsOf(readConfig(both), both).includes(secretKey));
  });

  test("an address that /help links to has at most as many characters as Discord takes in a button", () => {
    const docs = (length: number) => ({
      DISCORD_TOKEN: token,
      DOCS_URL: `https://a.b/${"x".repeat(length - 12)}`,
    });
    assert.equal(readConfig(docs(512)).docsUrl?.length, 512);
    assert.throws(() => readConfig(docs(513)), /DOCS_URL/);
  });

  test(".env.example names every variable, and is a valid environment once the token is filled in", () => {
    const text = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
    const lines = [...text.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(
      ([, name, value]) => [name ?? "", value ?? ""] as const,
    );
    const shown = Object.fromEntries(lines);
    assert.deepEqual(readConfig({ ...shown, DISCORD_TOKEN: token }), readConfig({ DISCORD_TOKEN: token }));
    assert.deepEqual(Object.keys(shown).sort(), [
      "BAD_KEY_BUDGET",
      "DISCORD_API_URL",
      "DISCORD_TOKEN",
      "DOCS_URL",
      "HISTORY_URL",
      "LOG_LEVEL",
      "MAP_IMAGE",
      "OPS_ADDRESS",
      "PUBLIC_ADDRESS",
      "SECRET_KEY",
      "SECRET_KEY_OLD",
      "SERVERS_PER_GUILD",
      "SERVICE_APP_ID",
      "SERVICE_FAMILY",
      "SERVICE_GLOBAL_KEY",
      "SERVICE_URL",
      "SHARDS",
      "STORE_URL",
    ]);
  });
});

test("a variable that is one slip away from a known one is named, and no other", () => {
  const slips = [
    "OPS_ADRESS",
    "OPS_ADDRESSS",
    "OSP_ADDRESS",
    "OPS_ADDRESZ",
    "OPSADDRESS",
    "ops_address",
    "OPS-ADDRESS",
  ];
  assert.deepEqual(
    mistypedNames(slips),
    slips.map((name) => `${name} is no variable of Marshal's: is it OPS_ADDRESS?`),
  );
  const others = [
    "OPS_ADDRESS",
    "SECRET_KEY",
    "SECRET_KEY_OLD",
    "PATH",
    "HOME",
    "ADDRESS",
    "OPS_DRESS",
    "KEY",
    "URL",
    "LEVEL",
  ];
  assert.deepEqual(mistypedNames(others), []);
});
