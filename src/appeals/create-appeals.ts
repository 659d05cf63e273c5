import type { Appeal } from "../domain/appeal.ts";
import type { Appeals } from "../domain/ports/appeals.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Posts } from "../domain/ports/posts.ts";
import { AppealBook } from "./appeal-book.ts";
import { AppealDesk, type AppealDeskPorts } from "./appeal-desk.ts";
import { AppealPosts, type AppealPostsPorts } from "./appeal-posts.ts";

export interface AppealsPorts
  extends Omit<AppealPostsPorts, "book" | "cases">,
    Omit<AppealDeskPorts, "book" | "shown" | "posts" | "cases"> {
  /** With `parseAppeal`; durable. */
  readonly documents: Documents<Appeal>;
  readonly posts: Posts;
  readonly cases: AppealDeskPorts["cases"];
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

export interface AppealsWing {
  readonly appeals: Appeals;
  /** Takes up what an earlier process left. Rejects when the store fails. */
  start(): Promise<void>;
}

/** What people ask who were punished. Starts nothing. */
export function createAppeals(ports: AppealsPorts): AppealsWing {
  const book = new AppealBook(ports.documents);
  const shown = new AppealPosts({ ...ports, book });
  const desk = new AppealDesk({ ...ports, book, shown });
  return {
    appeals: desk,
    async start() {
      for (const appeal of await book.load(ports.isOurs)) {
        shown.recover(appeal);
        void desk
          .finish(appeal)
          .catch((error: unknown) => ports.report("an appeal could not be finished", error));
      }
    },
  };
}
