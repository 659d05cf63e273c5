import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { readConfig } from "../../src/config.ts";

/** The root of the project. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

export function textOf(path: string): string {
  return readFileSync(`${root}/${path}`, "utf8");
}

/** Every document of a YAML file, of that shape. Throws where the file is no YAML or of another shape. */
export function yamlOf<T>(path: string, shape: z.ZodType<T>): readonly T[] {
  return parseAllDocuments(textOf(path), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return shape.parse(document.toJS());
  });
}

/** The variables that the bot knows, as .env.example names them; a test of config/ compares that with the code. */
export function knownVariables(): ReadonlySet<string> {
  return new Set([...textOf(".env.example").matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) => name));
}

const texts = z.array(z.string());
const service = z.object({
  build: z.object({ context: z.string() }).optional(),
  image: z.string(),
  pull_policy: z.string().optional(),
  user: z.string(),
  env_file: z.string().optional(),
  network_mode: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: texts.optional(),
  ports: texts.optional(),
  command: texts.optional(),
  read_only: z.boolean(),
  cap_drop: texts,
  security_opt: texts,
  mem_limit: z.string(),
  pids_limit: z.number(),
  restart: z.string(),
  stop_grace_period: z.string().optional(),
  healthcheck: z.object({ test: texts.optional() }).optional(),
});

const compose = z.object({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()),
});

/** One of the two compose files. Throws where it is none. */
export function composeOf(path: string): z.infer<typeof compose> {
  const [composed] = yamlOf(path, compose);
  if (composed === undefined) throw new Error(`${path} is empty`);
  return composed;
}

/** What the bot is started with beside that, in tests of its variables. */
export const SECRETS = { DISCORD_TOKEN: "a-token", SECRET_KEY: Buffer.alloc(32, 1).toString("base64") };
/** All steps of a stop together, in src/ops/shutdown.ts; a supervisor waits longer before it kills. */
export const STOP_S = 10;

/** The port at which a bot with these variables answers. */
export function opsPortOf(environment: Readonly<Record<string, string | undefined>>): number {
  return readConfig({ ...environment, ...SECRETS }).opsAddress?.port ?? 0;
}

export const prometheus = z.object({
  rule_files: texts,
  scrape_configs: z.array(
    z.object({ job_name: z.string(), static_configs: z.array(z.object({ targets: texts })) }),
  ),
});

export const alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(["page", "ticket"]) }),
          annotations: z.object({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
});

const strategy = z.object({ rollingUpdate: z.unknown() });
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }).optional() });
const container = z.object({
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
      }),
    )
    .optional(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe.optional(),
  readinessProbe: probe,
  livenessProbe: probe,
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
  }),
});

/** A Deployment or a StatefulSet. */
export const workload = z.object({
  spec: z.object({
    replicas: z.number(),
    strategy: strategy.optional(),
    minReadySeconds: z.number().optional(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()).optional(),
      }),
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number() }),
        containers: z.tuple([container]),
      }),
    }),
  }),
});
