import { type FirstScreenData, startMetaName } from '@shared/first-screen'
import type { ShortcutId } from '@shared/shortcuts'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { type ComponentType, lazy, StrictMode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { HashRouter, type Location, Navigate, Outlet, Route, Routes, useLocation, useNavigate } from 'react-router'
import { useReloadOnSwitch } from './features/connections/use-connections'
import { HomePage } from './features/home/home-page'
// Import this page eagerly, because React shows a fallback for at least 300 ms and new users see the page first.
import { WelcomePage } from './features/home/welcome/onboarding'
import { navigationItems, Rail, settingsItem } from './features/shell/rail'
import { useForgetOldVerifications } from './features/tools/verifications'
import { getLocale, type Locale } from './format'
import { LocaleContext, setLocale, startI18n } from './i18n'
import { call, callKey, createQueries, listen, subscribeToEvent, useMainNavigation } from './ipc'
import { isCurrentRoute } from './paths'
import { openHelp, openPalette, useSession } from './session'
import { PageStartContext, useSettings, useUpdateSettings, useZoom } from './settings'
import { followShortcuts, formatPressedKeys, isDialogOpen, useShortcuts } from './shortcuts'
import { Callout } from './ui/callout'
import { joinClassNames } from './ui/cn'
import { ErrorBoundary } from './ui/error-boundary'
import { Page } from './ui/page'
import { TooltipProvider } from './ui/tooltip'

const t = i18next.getFixedT(null, ['common', 'shell'])

/** Data that main embedded in the page. The development server embeds none. */
async function readStart(): Promise<Partial<FirstScreenData>> {
  const startElement = document.querySelector<HTMLMetaElement>(`meta[name="${startMetaName}"]`)
  if (startElement) return JSON.parse(startElement.content)
  const view = await call('settings.get', {}).catch(() => undefined)
  return view ? { view } : {}
}

/** Queries of Home, and the maximum time in ms that its first screen waits for them. */
const preloadedMethods = ['app.get', 'connections.list', 'plans.list', 'sandbox.get', 'tools.list'] as const
const maxHomeWaitMs = 2000
const maxWaitMs = 10_000

/** Replaces the first screen. Home appears with its data, to avoid layout shifts. */
function showWindow(root: HTMLElement, queries: QueryClient): () => void {
  let deadlineMs = performance.now() + maxWaitMs
  const hasQueryWithStatus = (status: 'pending' | 'success'): boolean =>
    preloadedMethods.some((name) => queries.getQueryState(callKey(name, {}))?.status === status)
  let timer: number
  const checkQueries = (): void => {
    if (hasQueryWithStatus('success')) deadlineMs = Math.min(deadlineMs, performance.now() + maxHomeWaitMs)
    if (isCurrentRoute('/') && hasQueryWithStatus('pending') && performance.now() < deadlineMs)
      timer = window.setTimeout(checkQueries, 8)
    else {
      document.getElementById('first-screen')?.remove()
      root.hidden = false
      performance.mark('window-shown')
      // Preload the palette, so that text typed right after opening it is not lost.
      requestIdleCallback(() => void loadPalette())
    }
  }
  checkQueries()
  return () => clearTimeout(timer)
}

/** Renders the window with the settings of its first screen. */
export async function renderApp(root: HTMLElement): Promise<void> {
  const queries = createQueries()
  const startData = await readStart()
  const { view } = startData
  if (view) queries.setQueryData(callKey('settings.get', {}), view)
  listen(queries)
  // Prefetch the queries of Home in parallel with rendering.
  if (isCurrentRoute('/') && view?.welcomed)
    for (const name of preloadedMethods)
      void queries.prefetchQuery({ queryKey: callKey(name, {}), queryFn: () => call(name, {}) })
  await startI18n(view?.locale ?? (navigator.language.startsWith('vi') ? 'vi' : 'en'))
  createRoot(root).render(
    <StrictMode>
      <PageStartContext value={startData}>
        <App queries={queries} root={root} />
      </PageStartContext>
    </StrictMode>,
  )
}

/** A component without props that is loaded on first use. */
const load = <Name extends string>(importModule: () => Promise<Record<NoInfer<Name>, ComponentType>>, name: Name) =>
  lazy(async () => ({ default: (await importModule())[name] }))

const UsagePage = load(() => import('./features/usage/usage-page'), 'UsagePage')
const RegisterPage = load(() => import('./features/keys/register/register-page'), 'RegisterPage')
const ChatPage = load(() => import('./features/playground/chat-page'), 'ChatPage')

/** Pages inside the frame by the pattern of their path. */
const pages: Readonly<Record<string, ComponentType>> = {
  '/tools': load(() => import('./features/tools/tools-page'), 'ToolsPage'),
  '/tools/set-up': load(() => import('./features/tools/set-up-page'), 'SetUpPage'),
  '/tools/mcp': load(() => import('./features/mcp/mcp-page'), 'McpPage'),
  '/tools/remove-all': load(() => import('./features/tools/remove-all-page'), 'RemoveAllPage'),
  '/tools/:toolId': load(() => import('./features/tools/tool-page'), 'ToolPage'),
  '/tools/:toolId/doctor': load(() => import('./features/tools/doctor/doctor-page'), 'ToolDoctorPage'),
  '/doctor': load(() => import('./features/tools/doctor/doctor-page'), 'DoctorPage'),
  '/profiles': load(() => import('./features/tools/profiles/profiles-page'), 'ProfilesPage'),
  '/profiles/import': load(() => import('./features/tools/profiles/import-page'), 'ImportProfilePage'),
  '/profiles/:profileId': load(() => import('./features/tools/profiles/profile-page'), 'EditProfilePage'),
  '/profiles/:profileId/switch': load(() => import('./features/tools/profiles/profile-page'), 'SwitchPage'),
  '/history': load(() => import('./features/tools/history/history-page'), 'HistoryPage'),
  '/history/:entryId': load(() => import('./features/tools/history/history-page'), 'RewindPage'),
  '/plans': load(() => import('./features/plans/plans-page'), 'PlansPage'),
  '/plans/new': load(() => import('./features/plans/new-plan-page'), 'NewPlanPage'),
  '/plans/packages': load(() => import('./features/plans/packages/packages-page'), 'PackagesPage'),
  '/plans/packages/compare': load(() => import('./features/plans/packages/compare-page'), 'ComparePage'),
  '/plans/packages/:packageId': load(() => import('./features/plans/packages/package-page'), 'PackagePage'),
  '/plans/:planId': load(() => import('./features/plans/plan-page'), 'PlanPage'),
  '/usage': UsagePage,
  '/usage/left': UsagePage,
  '/usage/burn-down': load(() => import('./features/usage/quota/burn-down-page'), 'BurnDownPage'),
  '/usage/requests': load(() => import('./features/usage/requests-page'), 'RequestsPage'),
  '/usage/alerts': load(() => import('./features/usage/alerts/alerts-page'), 'AlertsPage'),
  '/usage/budgets': load(() => import('./features/usage/budgets/budgets-page'), 'BudgetsPage'),
  '/usage/sources': load(() => import('./features/settings/sources/sources-page'), 'SourcesPage'),
  '/relay': load(() => import('./features/relay/relay-page'), 'RelayPage'),
  '/relay/point': load(() => import('./features/relay/reroute-page'), 'ReroutePage'),
  '/register': RegisterPage,
  '/register/holders': RegisterPage,
  '/register/holders/:holderId': load(() => import('./features/keys/register/holders'), 'HolderPage'),
  '/register/rotations': RegisterPage,
  '/register/audit': RegisterPage,
  '/rotate': load(() => import('./features/keys/rotation/rotate-page'), 'RotatePage'),
  '/rotate/many': load(() => import('./features/keys/rotation/bulk-page'), 'BulkRotationPage'),
  '/rotate/:rotationId': load(() => import('./features/keys/rotation/rotation-page'), 'RotationPage'),
  '/handout': load(() => import('./features/keys/handouts/handout-page'), 'HandoutPage'),
  '/handout/many': load(() => import('./features/keys/handouts/bulk-page'), 'BulkHandoutPage'),
  '/handout/open': load(() => import('./features/keys/handouts/open-page'), 'OpenKeyFilePage'),
  '/team': load(() => import('./features/team/team-page'), 'TeamPage'),
  '/sandbox': load(() => import('./features/sandbox/sandbox-page'), 'SandboxPage'),
  '/playground': ChatPage,
  '/playground/chat/:conversationId': ChatPage,
  '/playground/compare': load(() => import('./features/playground/compare/comparisons-page'), 'ComparisonsPage'),
  '/playground/compare/:comparisonId': load(
    () => import('./features/playground/compare/comparison-page'),
    'ComparisonPage',
  ),
  '/playground/prompts': load(() => import('./features/playground/prompts/prompts-page'), 'PromptsPage'),
  '/playground/prompts/:promptId': load(() => import('./features/playground/prompts/prompt-page'), 'PromptPage'),
  '/playground/completion': load(() => import('./features/playground/inference/inference-pages'), 'CompletionPage'),
  '/playground/embeddings': load(() => import('./features/playground/inference/inference-pages'), 'EmbeddingsPage'),
  '/memory/*': load(() => import('./features/platform/memory/routes'), 'MemoryRoutes'),
  '/runtimes/*': load(() => import('./features/platform/runtimes/routes'), 'RuntimesRoutes'),
  '/registry/*': load(() => import('./features/platform/registry/routes'), 'RegistryRoutes'),
  '/identities/*': load(() => import('./features/platform/identities/routes'), 'IdentitiesRoutes'),
  '/models/*': load(() => import('./features/platform/models/routes'), 'ModelsRoutes'),
  '/connections': load(() => import('./features/connections/connections-page'), 'ConnectionsPage'),
  '/settings': load(() => import('./features/settings/settings-page'), 'SettingsPage'),
  '/help/*': load(() => import('./features/help/help-page'), 'HelpPage'),
}

function AppEffects() {
  const navigate = useNavigate()
  const { theme, shortcuts } = useSettings()
  useMainNavigation(navigate)
  useForgetOldVerifications()
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  useEffect(() => followShortcuts(shortcuts), [shortcuts])
  return null
}

function StartPage() {
  const { welcomed } = useSettings()
  return welcomed ? <HomePage /> : <Navigate to="/welcome" replace />
}

function Pages() {
  return (
    <Routes>
      <Route path="/welcome" element={<WelcomePage />} />
      <Route element={<Shell />}>
        <Route index element={<StartPage />} />
        {Object.entries(pages).map(([path, Page]) => (
          <Route key={path} path={path} element={<Page />} />
        ))}
        <Route path="/playground/*" element={<Navigate to="/playground" replace />} />
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  )
}

/** The language of the texts. Changes after they were loaded, so everything renders again with them. */
function useLoadedLocale(): Locale {
  const { locale } = useSettings()
  const [loadedLocale, setLoadedLocale] = useState(getLocale)
  useEffect(() => void setLocale(locale).then(() => setLoadedLocale(locale)), [locale])
  return loadedLocale
}

function Window() {
  return (
    <LocaleContext value={useLoadedLocale()}>
      <TooltipProvider>
        <HashRouter>
          <AppEffects />
          <Pages />
          <Help />
          <Toaster />
        </HashRouter>
      </TooltipProvider>
    </LocaleContext>
  )
}

function App({ queries, root }: { readonly queries: QueryClient; readonly root: HTMLElement }) {
  useEffect(() => showWindow(root, queries), [root, queries])
  return (
    <QueryClientProvider client={queries}>
      <Window />
    </QueryClientProvider>
  )
}

/** Overlay, also available on the first screen. */
function Help() {
  const isOpen = useSession(({ help }) => help !== undefined)
  return <Suspense fallback={null}>{isOpen ? <HelpPanel /> : null}</Suspense>
}

const Sonner = lazy(async () => ({ default: (await import('sonner')).Toaster }))

/** Area for toasts. Render it once around the app. Its code loads after the first paint. */
export function Toaster() {
  const { theme } = useSettings()
  return (
    <Suspense fallback={null}>
      <Sonner
        theme={theme}
        // The bottom center keeps toasts away from titles, buttons and footers.
        position="bottom-center"
        offset={{ bottom: 88 }}
        containerAriaLabel={t('notifications')}
        toastOptions={{
          unstyled: true,
          classNames: {
            toast: joinClassNames(
              'group/toast flex w-[356px] flex-wrap items-center gap-x-2.5 gap-y-1.5 rounded-lg border bg-raised',
              'px-3 py-2.5 font-sans text-md text-text shadow-float',
            ),
            title: 'font-medium',
            description: 'text-muted text-sm',
            icon: joinClassNames(
              'inline-flex flex-none text-success group-data-[type=error]/toast:text-danger',
              'group-data-[type=info]/toast:text-accent-text',
            ),
            // Minimum width of a toast's text. A long action label then wraps to its own line.
            content: 'min-w-0 flex-1 basis-52',
            actionButton: joinClassNames(
              'ml-auto h-control-sm flex-none rounded-md border border-border-control px-2.5 font-medium text-sm',
              'text-text hover:bg-hover',
            ),
          },
        }}
      />
    </Suspense>
  )
}

const loadPalette = () => import('./features/shell/palette/palette')
const Palette = load(loadPalette, 'Palette')
const RecoveryNotice = load(() => import('./features/tools/history/recovery-notice'), 'RecoveryNotice')
const HelpPanel = load(() => import('./features/help/help-panel'), 'HelpPanel')
const Tour = load(() => import('./features/help/tour'), 'Tour')
const NewsStrip = load(() => import('./features/help/tour'), 'NewsStrip')

/** Focuses the page title after navigation, for screen readers. */
function useTitleFocus({ pathname, search }: Location): void {
  const lastPath = useRef(pathname + search)
  // A layout effect, because a later focus change would close a menu the user just opened.
  useLayoutEffect(() => {
    const [previousPath] = lastPath.current.split('?')
    if (lastPath.current === pathname + search) return
    lastPath.current = pathname + search
    // A change of only the URL query usually keeps the focused element, so do not move the focus then.
    if (previousPath === pathname && document.activeElement !== document.body) return
    document.querySelector<HTMLElement>('[data-page-title]')?.focus({ preventScroll: true })
  }, [pathname, search])
}

function CrashScreen({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  return (
    <Page>
      <Callout
        tone="danger"
        title={t('crash.title')}
        details={error.message}
        actions={[{ label: t('retry'), onClick: retry }]}
      >
        {t('crash.text')}
      </Callout>
    </Page>
  )
}

export function Shell() {
  const location = useLocation()
  const { pathname } = location
  const mainRef = useRef<HTMLElement>(null)
  const { newsSeen } = useSettings()
  const isTourActive = useSession(({ tourStep }) => tourStep !== undefined)
  const isPaletteOpen = useSession((session) => session.isPaletteOpen)
  useWindowKeys()
  useReloadOnSwitch()
  useTitleFocus(location)
  return (
    <div className="flex h-full">
      <button
        type="button"
        className={joinClassNames(
          'fixed top-2 left-2 z-70 h-control -translate-y-15 rounded-md bg-accent px-3 text-on-accent',
          'focus-visible:translate-none',
        )}
        onClick={() => mainRef.current?.focus()}
      >
        {t('shell:skip')}
      </button>
      <Rail />
      <main
        ref={mainRef}
        tabIndex={-1}
        className="flex h-full min-w-0 flex-1 flex-col bg-page focus-visible:outline-none"
      >
        <Suspense fallback={null}>
          <RecoveryNotice />
          {isTourActive ? <Tour /> : newsSeen === undefined ? null : <NewsStrip />}
        </Suspense>
        <div className="min-h-0 flex-1">
          <ErrorBoundary resetKey={pathname} fallback={(error, retry) => <CrashScreen error={error} retry={retry} />}>
            <Suspense fallback={null}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </div>
      </main>
      <Suspense fallback={null}>{isPaletteOpen ? <Palette /> : null}</Suspense>
    </div>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA'].includes(target.tagName))

/** Global shortcuts. An open dialog disables all except palette and zoom. */
function useWindowKeys(): void {
  const navigate = useNavigate()
  const { railCollapsed } = useSettings()
  const shortcuts = useShortcuts()
  const update = useUpdateSettings()
  const changeZoom = useZoom()
  useEffect(() => {
    const toggleRail = (): void => void update({ railCollapsed: !railCollapsed })
    const shortcutHandlers: Readonly<Record<string, () => void>> = {
      'Mod++': () => changeZoom('in'),
      'Mod+=': () => changeZoom('in'),
      'Mod+-': () => changeZoom('out'),
      'Mod+0': () => changeZoom('reset'),
      [shortcuts.palette]: () => openPalette(!useSession.getState().isPaletteOpen),
    }
    const commands: Readonly<Record<string, () => void>> = {
      [shortcuts.rail]: toggleRail,
      [shortcuts.help]: () => openHelp('page'),
      ...Object.fromEntries(
        [...navigationItems, settingsItem].flatMap(({ id, path }) =>
          id in shortcuts ? [[shortcuts[id as ShortcutId], () => void navigate(path)] as const] : [],
        ),
      ),
    }
    const handleKeyDown = (event: KeyboardEvent): void => {
      const keys = formatPressedKeys(event)
      if (event.defaultPrevented || keys === undefined || (keys.length === 1 && isTyping(event.target))) return
      const shortcutCommand = shortcutHandlers[keys] ?? (isDialogOpen() ? undefined : commands[keys])
      if (!shortcutCommand) return
      event.preventDefault()
      shortcutCommand()
    }
    const runs = { palette: () => openPalette(true), help: () => openHelp('page'), sidebar: toggleRail }
    const stopListening = subscribeToEvent('window.command', ({ command }) => runs[command]())
    window.addEventListener('keydown', handleKeyDown)
    return () => {
      stopListening()
      window.removeEventListener('keydown', handleKeyDown)
    }
  }, [navigate, update, changeZoom, railCollapsed, shortcuts])
}
