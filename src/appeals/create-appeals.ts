import type { Appeal } from "../domain/appeal.ts";
import type { AppealRenderer, Appeals } from "../domain/ports/appeals.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { Posts } from "../domain/ports/posts.ts";
import { AppealBook } from "./appeal-book.ts";
import { AppealDesk, type AppealDeskPorts } from "./appeal-desk.ts";
import { AppealEnds, type AppealEndsPorts } from "./appeal-ends.ts";
import { AppealPosts, type AppealPostsPorts } from "./appeal-posts.ts";

export interface AppealsPorts
  extends Omit<AppealPostsPorts, "book" | "cases" | "onRead">,
    Omit<AppealEndsPorts, "book" | "shown" | "cases">,
    Omit<AppealDeskPorts, "book" | "shown" | "posts" | "cases" | "ends"> {
  /** With `parseAppeal`; durable. */
  readonly documents: Documents<Appeal>;
  readonly posts: Posts;
  readonly cases: AppealDeskPorts["cases"] & AppealEndsPorts["cases"] & AppealPostsPorts["cases"];
  readonly renderer: AppealRenderer;
  isOurs(guildId: string): boolean;
}

export interface AppealsWing {
  readonly appeals: Appeals;
  /** Appeals about that case show what it says now. */
  onCaseChanged(guildId: string, number: number): void;
  /** Takes up what an earlier process left. Rejects when the store fails. */
  start(): Promise<void>;
  /** Begins nothing more. */
  stop(): void;
}

/** What people ask who were punished. Starts nothing. */
export function createAppeals(ports: AppealsPorts): AppealsWing {
  const book = new AppealBook(ports.documents);
  const shown = new AppealPosts({ ...ports, book, onRead: (appeal) => void ends.carryOut(appeal) });
  const ends: AppealEnds = new AppealEnds({ ...ports, book, shown });
  return {
    appeals: new AppealDesk({ ...ports, book, shown, ends }),
    onCaseChanged(guildId, number) {
      for (const appeal of book.of(guildId)) if (appeal.caseNumber === number) shown.show(appeal);
    },
    async start() {
      for (const appeal of await book.load(ports.isOurs)) {
        shown.recover(appeal);
        void ends.carryOut(appeal);
      }
    },
    stop: () => ends.stop(),
  };
}
