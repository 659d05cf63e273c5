/**
 * Why no other key may be tried for now, in the one wording of the guide, the form and the refusal. A key that got no
 * answer counts as well: nobody knows whether the service refused it.
 */
export const TOO_MANY_KEYS = "Too many wrong or unanswered keys were tried (more could get Marshal banned).";
