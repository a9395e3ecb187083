import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, type RunningApp, test } from '../support/app'

type SecurityCheck = readonly [name: string, check: (startedApp: RunningApp) => Promise<void>]

/** Tests of actions that the window must not allow, in one app. The last test removes the app's listeners. */
const parts: readonly SecurityCheck[] = [
  [
    'the page is sandboxed, isolated and without Node',
    async ({ app, page }) => {
      const preferences = await app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents
        return (contents as unknown as { getLastWebPreferences(): Record<string, unknown> }).getLastWebPreferences()
      })
      expect(preferences).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
      })
      const globals = await page.evaluate(() =>
        ['require', 'process', 'module', 'Buffer', 'electron', 'ipcRenderer'].filter((name) => name in globalThis),
      )
      expect(globals).toEqual([])
      expect(
        await page.evaluate(() => Object.keys((globalThis as unknown as { companion: object }).companion).sort()),
      ).toEqual(['call', 'on'])
    },
  ],
  [
    'navigation, new windows, remote content, inline scripts and permissions are denied',
    async ({ app, page }) => {
      const urlBefore = page.url()
      const refusals = await page.evaluate(async () => {
        const inlineScript = document.createElement('script')
        inlineScript.textContent = 'globalThis.ranInline = true'
        document.head.append(inlineScript)
        const remoteResult = await fetch('https://example.com/').then(
          () => 'loaded',
          () => 'refused',
        )
        const image = await new Promise((resolve) => {
          const element = new Image()
          element.onload = () => resolve('loaded')
          element.onerror = () => resolve('refused')
          element.src = 'http://127.0.0.1:9/x.png'
        })
        const evalResult = (() => {
          try {
            return new Function('return 1')()
          } catch {
            return 'refused'
          }
        })()
        const notifications = await Notification.requestPermission()
        const openedWindow = window.open('https://example.com/')
        return {
          inline: 'ranInline' in globalThis,
          remote: remoteResult,
          image,
          evaluated: evalResult,
          notifications,
          opened: openedWindow,
        }
      })
      expect(refusals).toEqual({
        inline: false,
        remote: 'refused',
        image: 'refused',
        evaluated: 'refused',
        notifications: 'denied',
        opened: null,
      })
      await page.evaluate(() => {
        location.href = 'https://example.com/'
      })
      await page.evaluate(() => {
        const link = document.createElement('a')
        link.href = 'file:///etc/passwd'
        document.body.append(link)
        link.click()
      })
      await expect.poll(() => page.url()).toBe(urlBefore)
      expect(app.windows()).toHaveLength(1)
    },
  ],
  [
    'the page serves its own files and nothing outside of its folder',
    async ({ page }) => {
      const statuses = await page.evaluate(async () => {
        const paths = [
          '/index.html',
          '/../main/index.cjs',
          '/..%2fmain%2findex.cjs',
          '/%2e%2e/main/cli.cjs',
          '/none.js',
        ]
        const fetchStatus = (path: string) =>
          fetch(`app://companion${path}`).then(
            ({ status }) => status,
            () => 0,
          )
        return Promise.all(paths.map(fetchStatus))
      })
      expect(statuses).toEqual([200, 404, 404, 404, 404])
    },
  ],
  [
    'a call from any other page is refused, and an unknown method too',
    async ({ app, page }) => {
      const foreignResult = await app.evaluate(
        async ({ BrowserWindow }, preload) => {
          const window = new BrowserWindow({
            show: false,
            webPreferences: { preload, sandbox: true, contextIsolation: true },
          })
          await window.loadURL('data:text/html,<p>other</p>').catch(() => undefined)
          const answer: unknown = await window.webContents.executeJavaScript(
            "window.companion ? window.companion.call('app.get', {}) : 'no bridge'",
          )
          window.destroy()
          return answer
        },
        await app.evaluate(({ app: electronApp }) => `${electronApp.getAppPath()}/out/preload/index.cjs`),
      )
      expect(foreignResult).toMatchObject({ ok: false, error: { code: 'bridge.denied' } })
      const unknownCallResult = await page.evaluate(() =>
        (globalThis as unknown as { companion: { call(name: string, input: unknown): unknown } }).companion.call(
          'plans.steal',
          {},
        ),
      )
      expect(unknownCallResult).toMatchObject({ ok: false, error: { code: 'bridge.unknownMethod' } })
    },
  ],
  [
    'the window goes back to the page from an address that nobody is asked about',
    async ({ app, page }) => {
      const urlBefore = page.url()
      await app.evaluate(({ BrowserWindow }) => {
        Reflect.set(globalThis, 'returns', 0)
        const contents = BrowserWindow.getAllWindows()[0]?.webContents
        contents?.on('did-navigate', (_event, url) => {
          if (url.startsWith('app:')) Reflect.set(globalThis, 'returns', Number(Reflect.get(globalThis, 'returns')) + 1)
        })
      })
      const navigationAttempts = [
        "location.href = 'about:blank'",
        "window.open('about:blank', '_self')",
        "document.body.append(Object.assign(document.createElement('a'), { href: 'about:blank', id: 'out' })); out.click()",
      ]
      for (const [index, attemptCode] of navigationAttempts.entries()) {
        await app.evaluate(({ BrowserWindow }, code) => {
          void BrowserWindow.getAllWindows()[0]
            ?.webContents.executeJavaScript(code)
            .catch(() => undefined)
        }, attemptCode)
        await expect.poll(() => app.evaluate(() => Reflect.get(globalThis, 'returns'))).toBe(index + 1)
        await expect(page.locator('main')).toBeVisible()
        // The first screen shows before the app restores its page.
        await expect(page).toHaveURL(urlBefore)
      }
    },
  ],
  [
    'no packet of WebRTC leaves',
    async ({ page }) => {
      let receivedCount = 0
      const udp = createSocket('udp4').on('message', () => {
        receivedCount += 1
      })
      const tcpServer = createServer((socket) => {
        receivedCount += 1
        socket.destroy()
      })
      udp.bind(0, '127.0.0.1')
      tcpServer.listen(0, '127.0.0.1')
      await Promise.all([once(udp, 'listening'), once(tcpServer, 'listening')])
      const address = tcpServer.address()
      const tcpPort = typeof address === 'object' ? address?.port : undefined
      await page.evaluate(
        async ([udpPort, turnPort]) => {
          const account = { username: 'user', credential: 'word' }
          const connection = new RTCPeerConnection({
            iceServers: [
              { urls: `stun:127.0.0.1:${udpPort}` },
              { urls: `turn:127.0.0.1:${udpPort}?transport=udp`, ...account },
              { urls: `turn:127.0.0.1:${turnPort}?transport=tcp`, ...account },
              { urls: `turn:localhost:${turnPort}?transport=tcp`, ...account },
            ],
          })
          connection.createDataChannel('out')
          const iceGatheredPromise = new Promise((resolve) => {
            connection.onicegatheringstatechange = () => {
              if (connection.iceGatheringState === 'complete') resolve(true)
            }
          })
          await connection.setLocalDescription(await connection.createOffer())
          await iceGatheredPromise
          connection.close()
        },
        [udp.address().port, tcpPort],
      )
      expect(receivedCount).toBe(0)
      udp.close()
      tcpServer.close()
    },
  ],
  [
    "the app's own window is answered at the page's address and at no other",
    async ({ app }) => {
      const answers = await app.evaluate(async ({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents
        if (!contents) return []
        const ownUrl = contents.getURL()
        // Remove the app's listeners, which would return to its own page before the check.
        for (const event of ['did-navigate', 'did-fail-load']) contents.removeAllListeners(event)
        const callResults: unknown[] = []
        for (const address of ['about:blank', 'data:text/html,<p>other</p>', 'app://evil/index.html', ownUrl]) {
          await contents.loadURL(address).catch(() => undefined)
          const call = "window.companion ? window.companion.call('settings.get', {}) : 'no bridge'"
          callResults.push(await contents.executeJavaScript(call))
        }
        return callResults
      })
      const deniedResult = { ok: false, error: { code: 'bridge.denied' } }
      expect(answers).toMatchObject([deniedResult, deniedResult, deniedResult, { ok: true }])
    },
  ],
]

test('the page is sandboxed, without Node or foreign files, and without access to or from others', async ({
  start,
}) => {
  const startedApp = await start()
  for (const [name, check] of parts) await test.step(name, () => check(startedApp))
})
