/** A load of something that the visitor's own machine has put into the page, and not the page's author. */
export function isInjected({ hostname }: { readonly hostname: string }): boolean {
  return (
    isOwnMachine(hostname) || PROGRAMS.some((name) => hostname === name || hostname.endsWith(`.${name}`))
  );
}

/** Programs that check what is loaded do so over the machine itself. */
function isOwnMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Of virus scanners, blockers and toolbars that put their own scripts into each page. */
const PROGRAMS = [
  "scr.kaspersky-labs.com",
  "local.adguard.org",
  "local.adguard.com",
  "injections.adguard.org",
  "superfish.com",
];
