/**
 * Has to be imported before the components: they read this once, and without it they would name pictures of
 * Discord's own servers. Nothing here leads off this machine.
 */
const nobody = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

Object.assign(globalThis, {
  $discordMessage: {
    avatars: {
      default: nobody,
      blue: nobody,
      gray: nobody,
      green: nobody,
      orange: nobody,
      red: nobody,
      pink: nobody,
    },
    profiles: {},
  },
});
