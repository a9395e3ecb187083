import { execFile, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Page, test as plain } from '@playwright/test'
import { expect, freePort, root } from '../../support/app'

const run = promisify(execFile)
const limits = { timeout: 10 * 60_000, maxBuffer: 2 ** 26 }
const user = { name: 'ada', id: '1000' }
const program = 'platform-companion'

/** A minimal Debian with a regular user who has a display and a keychain. */
interface SystemRoot {
  /** Path on this computer of the root folder of the clean test system. */
  readonly folder: string
  /** Runs a shell command as root and returns its output. */
  asRoot(command: string): Promise<string>
  /** Runs a shell command as the user, in their session, and returns its output. */
  asUser(command: string): Promise<string>
  /** Starts a long-running program as the user. */
  start(command: string): void
  /** Ends the user's programs whose command line contains a text, and waits for them. */
  quit(text: string): Promise<void>
  /** Copies the package, or one with another version, and returns its path in the system. */
  buildPackage(version?: string): Promise<string>
  /** Extracts the `.tar.gz` and returns the path of its folder in the system. */
  extractArchive(): Promise<string>
}

const systemPath = 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'
const runtimeFolder = `/run/user/${user.id}`

/** A user session with a display, a message bus and a keychain. */
const session = `Xvfb "$DISPLAY" -screen 0 1600x1100x24 -nolisten tcp &
dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile &
until [ -S ${runtimeFolder}/bus ]; do sleep 0.1; done
echo a-password | gnome-keyring-daemon --foreground --unlock --components=secrets &
wait`

/** Reason why no clean test system can be created on this computer. Undefined if it can. */
function getSkipReason(): string | undefined {
  if (process.platform !== 'linux') return 'a clean Debian is made on Linux'
  if (process.getuid?.() !== 0) return 'a system in a folder needs the rights of root'
  const isInstalled = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
  return isInstalled('debootstrap') && isInstalled('dpkg-deb')
    ? undefined
    : 'debootstrap is missing (apt-get install debootstrap)'
}

/** Processes that run in the clean test system, found by their root folder. */
function listFolderProcessIds(folder: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.map(Number).filter((id) => {
    try {
      return readlinkSync(`/proc/${id}/root`) === folder && !readFileSync(`/proc/${id}/stat`, 'utf8').includes(') Z ')
    } catch {
      return false
    }
  })
}

async function makeSystem(work: string, display: number): Promise<SystemRoot> {
  const folder = join(work, 'system')
  const codename = /VERSION_CODENAME=(\w+)/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'
  await run('debootstrap', ['--variant=minbase', codename, folder, 'http://deb.debian.org/debian'], limits)
  cpSync('/etc/resolv.conf', join(folder, 'etc/resolv.conf'), { dereference: true })
  chmodSync(join(folder, 'dev/shm'), 0o1777)
  await run('mount', ['-t', 'proc', 'proc', join(folder, 'proc')])
  const buildInnerArgs = (args: readonly string[], command: string) => [...args, systemPath, '/bin/sh', '-c', command]
  const buildRootArgs = (command: string) =>
    buildInnerArgs([folder, '/usr/bin/env', '-i', 'DEBIAN_FRONTEND=noninteractive', 'LANG=C.UTF-8'], command)
  const variables = [
    `HOME=/home/${user.name}`,
    `USER=${user.name}`,
    'LANG=C.UTF-8',
    `DISPLAY=:${display}`,
    `XDG_RUNTIME_DIR=${runtimeFolder}`,
    `DBUS_SESSION_BUS_ADDRESS=unix:path=${runtimeFolder}/bus`,
  ]
  const buildUserArgs = (command: string) =>
    buildInnerArgs([`--userspec=${user.id}:${user.id}`, folder, '/usr/bin/env', '-i', ...variables], `cd && ${command}`)
  const spawnAsUser = (command: string) => spawn('chroot', buildUserArgs(command), { stdio: 'ignore' })
  const runAsRoot = async (command: string) => (await run('chroot', buildRootArgs(command), limits)).stdout

  await runAsRoot('apt-get update && apt-get install --yes --no-install-recommends xvfb dbus gnome-keyring procps')
  await runAsRoot(`useradd --create-home --uid ${user.id} --shell /bin/sh ${user.name}`)
  await runAsRoot(`install -d -m 700 -o ${user.name} ${runtimeFolder}`)
  spawnAsUser(session)
  return {
    folder,
    asRoot: runAsRoot,
    asUser: async (command) => (await run('chroot', buildUserArgs(command), limits)).stdout,
    start: (command) => void spawnAsUser(`exec ${command}`),
    async quit(text) {
      await runAsRoot(`pkill -TERM -u ${user.name} -f '${text}' || true`)
      await expect
        .poll(
          () =>
            runAsRoot(
              `ps -o stat=,pid=,ppid=,args= -p "$(pgrep -d, -u ${user.name} -f '${text}')" 2>/dev/null || true`,
            ),
          { timeout: 20_000 },
        )
        .toBe('')
    },
    async buildPackage(version) {
      const [deb = ''] = readdirSync(work).filter((name) => name.endsWith('.deb'))
      const name = `tmp/${version ?? 'first'}.deb`
      if (version === undefined) cpSync(join(work, deb), join(folder, name))
      else {
        const tree = join(work, 'tree')
        await run('dpkg-deb', ['--raw-extract', join(work, deb), tree], limits)
        const controlPath = join(tree, 'DEBIAN/control')
        writeFileSync(controlPath, readFileSync(controlPath, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`))
        await run('dpkg-deb', ['-Znone', '--build', tree, join(folder, name)], limits)
        rmSync(tree, { recursive: true })
      }
      return `/${name}`
    },
    async extractArchive() {
      const [archive = ''] = readdirSync(work).filter((name) => name.endsWith('.tar.gz'))
      await run(
        'tar',
        ['--extract', '--no-same-owner', '--file', join(work, archive), '-C', join(folder, 'tmp')],
        limits,
      )
      return `/tmp/${archive.replace(/\.tar\.gz$/, '')}`
    },
  }
}

const test = plain.extend<object, { readonly system: SystemRoot }>({
  system: [
    async ({ browserName: _ }, use) => {
      const workFolder = mkdtempSync(join(tmpdir(), 'installed-'))
      const folder = join(workFolder, 'system')
      try {
        await run(
          process.execPath,
          [join(root, 'scripts/package.mjs'), '--target', 'deb,tar', '--output', workFolder],
          limits,
        )
        await use(await makeSystem(workFolder, 1000 + (process.pid % 1000)))
      } finally {
        for (const id of listFolderProcessIds(folder)) process.kill(id, 'SIGKILL')
        if (existsSync(join(folder, 'proc/self'))) await run('umount', ['--lazy', join(folder, 'proc')])
        rmSync(workFolder, { recursive: true, force: true, maxRetries: 5 })
      }
    },
    { scope: 'worker', timeout: 3 * limits.timeout },
  ],
})

test.skip(getSkipReason() !== undefined, getSkipReason())

/** Starts the installed app through its desktop entry and returns its window. */
async function openWindow(system: SystemRoot): Promise<Page> {
  const port = await freePort()
  system.start(`${program} --disable-gpu --remote-debugging-port=${port}`)
  let page: Page | undefined
  await expect(async () => {
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
    page = browser.contexts()[0]?.pages()[0]
    expect(page).toBeDefined()
  }).toPass({ timeout: 30_000 })
  if (page === undefined) throw new Error('The installed app has no window.')
  return page
}

/** Every file of the system except those written by package managers or the system, and homes. */
async function listFiles({ asRoot }: SystemRoot): Promise<string[]> {
  const ownFolders = [
    '/proc',
    '/home',
    '/tmp',
    '/run',
    '/dev',
    '/var/lib/dpkg',
    '/var/lib/apt',
    '/var/cache',
    '/var/log',
  ]
  const prunePaths = ownFolders.map((path) => `-path ${path} -prune -o`).join(' ')
  return (await asRoot(`find / ${prunePaths} -print`)).split('\n').sort()
}

test('a regular user of a clean Debian installs, uses, updates and removes the app', async ({ system }) => {
  test.setTimeout(3 * limits.timeout)
  const firstPackage = await system.buildPackage()
  // Dependencies stay after the removal, so they are installed before files are compared.
  await system.asRoot(
    `apt-get install --yes --no-install-recommends ${firstPackage} && apt-get remove --yes ${program}`,
  )
  const filesBefore = await listFiles(system)
  await system.asRoot(`apt-get install --yes --no-install-recommends ${firstPackage}`)
  await system.asRoot(
    `printf '#!/bin/sh\\necho "2.1.330 (Claude Code)"\\n' > /usr/local/bin/claude && chmod 755 /usr/local/bin/claude`,
  )

  const page = await openWindow(system)
  await page.getByRole('button', { name: /Explore with the sandbox/ }).click()
  await page.getByRole('link', { name: 'Configure Claude Code', exact: true }).click()
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(page.getByText('Claude Code is configured with sandbox-pro').first()).toBeVisible()
  await page.getByRole('button', { name: 'Test', exact: true }).first().click()
  await expect(page.getByText('Test passed')).toBeVisible()

  expect(await system.asRoot('cat /usr/share/mime/globs2')).toContain('application/x-age-encryption:*.age\n')
  // A link opens in the existing window, and the second program exits.
  await system.asUser(`${program} --disable-gpu ${program}://import`)
  await expect(page.getByRole('heading', { name: 'Import a key', level: 1 })).toBeVisible()

  const nextPackage = await system.buildPackage('99.0.0')
  await system.asRoot(`apt-get install --yes --no-install-recommends ${nextPackage}`)
  expect(await system.asRoot(`dpkg-query --show --showformat='\${Version}' ${program}`)).toBe('99.0.0')
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(page.getByText('Restart the app to finish.')).toBeVisible()

  await system.quit(program)
  const settings = join(system.folder, 'home', user.name, '.claude/settings.json')
  const { apiKeyHelper } = JSON.parse(readFileSync(settings, 'utf8'))
  const key = /^sk-sandbox-\S+\n$/
  expect(await system.asUser(apiKeyHelper)).toMatch(key)
  expect(await system.asUser('companion key print --plan sandbox-pro')).toMatch(key)

  const updatedWindow = await openWindow(system)
  await expect(updatedWindow.getByRole('list', { name: 'My tools' })).toContainText('Configured')

  await system.quit(program)
  const removal = await system.asRoot(`apt-get remove --yes ${program}`)
  expect(removal).toContain('each user runs this before the removal: companion restore --all')
  const failure = await system.asUser(`${apiKeyHelper} 2>&1 || true`)
  expect(failure).toContain('Platform Companion is not installed any more')
  await system.asRoot(`apt-get install --yes --no-install-recommends ${nextPackage}`)
  await system.asUser('companion restore --all --yes')
  expect(existsSync(settings) && readFileSync(settings, 'utf8').includes('companion')).toBe(false)
  await system.asRoot(`rm /usr/local/bin/claude && apt-get purge --yes ${program}`)
  expect(await listFiles(system)).toEqual(filesBefore)
})

test('a regular user installs the archive in their home, uses and removes it', async ({ system }) => {
  const folder = await system.extractArchive()
  expect(await system.asRoot(`cat ${folder}/README.md`)).toContain('./install.sh')
  const before = await system.asUser('find ~ -type f | sort')
  expect(await system.asUser(`${folder}/install.sh`)).toContain('libnss3.so')
  const [, packages = ''] = /apt install (.*)/.exec(await system.asRoot(`cat ${folder}/README.md`)) ?? []
  await system.asRoot(`apt-get install --yes --no-install-recommends ${packages}`)
  expect(await system.asUser(`${folder}/install.sh`)).not.toContain('not installed')
  expect(await system.asUser('~/.local/bin/companion --version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  const files = await system.asUser('find ~/.local/share -type f | sort')
  for (const name of [`applications/${program}.desktop`, 'man/man1/companion.1.gz', `mime/packages/${program}.xml`])
    expect(files).toContain(`.local/share/${name}\n`)
  const removal = await system.asUser(`${folder}/install.sh --remove`)
  expect(removal).toContain('companion restore --all')
  expect(await system.asUser('find ~ -type f -not -path "*/mime/*" -not -name mimeinfo.cache | sort')).toBe(before)
})
