import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { chromiumFile } from './chromium.js'
import { temporaryDirectory } from './temporary-directory.js'

/** Of the package `dejavu-fonts-ttf`. They have Latin, Greek, Cyrillic and Arabic letters. */
const FONT_FILES = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSansMono.ttf']

/** Pixels depend on the fonts and the paint settings of a machine, so these are the same everywhere. */
const SAME_PIXELS = ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb', '--disable-gpu']

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumFile(), args: ['--no-sandbox'] })
}

/** A browser that knows the fonts above and no other, whatever the machine has. */
export async function launchBrowserWithFonts(): Promise<Browser> {
  const place = temporaryDirectory()
  const config = join(place.path, 'fonts.conf')
  writeFileSync(config, fontConfig(place.path))
  const browser = await chromium.launch({
    executablePath: chromiumFile(),
    args: ['--no-sandbox', ...SAME_PIXELS],
    env: { ...process.env, FONTCONFIG_FILE: config },
  })
  browser.on('disconnected', () => place.remove())
  return browser
}

/** The configuration of fontconfig with the fonts in a directory of their own. */
function fontConfig(directory: string): string {
  const fonts = join(directory, 'fonts')
  mkdirSync(fonts)
  const packaged = fileURLToPath(new URL('ttf/', import.meta.resolve('dejavu-fonts-ttf/package.json')))
  for (const file of FONT_FILES) copyFileSync(join(packaged, file), join(fonts, file))
  const set = (name: string, value: string) => `<edit name="${name}" mode="assign">${value}</edit>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${join(directory, 'cache')}</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <match target="font">
    ${set('antialias', '<bool>true</bool>')}
    ${set('autohint', '<bool>false</bool>')}
    ${set('hinting', '<bool>false</bool>')}
    ${set('hintstyle', '<const>hintnone</const>')}
    ${set('rgba', '<const>none</const>')}
  </match>
</fontconfig>
`
}
