/**
 * Loads what most processes of the suite load, and ends: Node then keeps what it compiled of it. In a clean clone each of
 * them would compile it for itself, because Node keeps it only when a process ends.
 */
import "../../commands/index.ts";
import "../../src/build-cluster.ts";
import "../../src/history/database/connect-postgres.ts";
import "../../src/history/database/open-database.ts";
import "../../src/history/pictures/svg.ts";
import "../../src/history/queries/named-queries.ts";
import "../../src/main.ts";
import "../../src/store/redis/open-redis.ts";
import "../e2e/crew.ts";
import "../e2e/rig.ts";
import "./feeds-rig.ts";
import "./fleet.ts";
import "./runs-rig.ts";
