import { existsSync } from 'node:fs';

const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a Chromium. Undefined, with a message, when none is installed. */
export const chromiumPath = candidates.find(path => path && existsSync(path));
if (!chromiumPath)
  console.log('Skipped: the documentation page in a browser. Install Chromium, or set CHROMIUM=/path/to/chromium');

export const launchOptions = {
  executablePath: chromiumPath!,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
};
