/** The background and the colours of pictures; each look is readable on both backgrounds of Discord. */
export type PictureLook = "dark" | "light";
