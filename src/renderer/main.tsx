import { type FirstScreenData, startMetaName } from '@shared/first-screen'
import type { ShortcutId } from '@shared/shortcuts'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { useTranslation } from 'react-i18next'
import { HashRouter, type Location, Navigate, Outlet, Route, Routes, useLocation, useNavigate } from 'react-router'
import { useReloadOnSwitch } from './features/connections/use-connections'
import { HomePage } from './features/home/home-page'
// Import this page eagerly, because React shows a fallback for at least 300 ms and new users see the page first.
import { WelcomePage } from './features/home/welcome/onboarding'
import { navigationItems, settingsItem } from './features/shell/navigation'
import { Rail } from './features/shell/rail'
import { useForgetOldVerifications } from './features/tools/use-tool-actions'
import { setLocale, startI18n } from './i18n'
import { call, callKey, createQueries, listen, subscribeToEvent, useMainNavigation } from './ipc'
import { isCurrentRoute } from './paths'
import { useSession } from './session'
import { PageStartContext, useSettings, useUpdateSettings, useZoom } from './settings'
import { followShortcuts, formatPressedKeys, isDialogOpen, useShortcuts } from './shortcuts'
import { Button } from './ui/button'
import { Callout } from './ui/callout'
import { joinClassNames } from './ui/cn'
import { ErrorBoundary } from './ui/error-boundary'
import { Page } from './ui/page'
import { TooltipProvider } from './ui/tooltip'

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

const ToolsPage = lazy(async () => ({ default: (await import('./features/tools/tools-page')).ToolsPage }))
const McpPage = lazy(async () => ({ default: (await import('./features/mcp/mcp-page')).McpPage }))
const ToolPage = lazy(async () => ({ default: (await import('./features/tools/tool-page')).ToolPage }))
const SetUpPage = lazy(async () => ({ default: (await import('./features/tools/set-up-page')).SetUpPage }))
const RemoveAllPage = lazy(async () => ({
  default: (await import('./features/tools/remove-all-page')).RemoveAllPage,
}))
const ToolDoctorPage = lazy(async () => ({
  default: (await import('./features/tools/doctor/doctor-page')).ToolDoctorPage,
}))
const DoctorPage = lazy(async () => ({ default: (await import('./features/tools/doctor/doctor-page')).DoctorPage }))
const ProfilesPage = lazy(async () => ({
  default: (await import('./features/tools/profiles/profiles-page')).ProfilesPage,
}))
const ImportProfilePage = lazy(async () => ({
  default: (await import('./features/tools/profiles/import-page')).ImportProfilePage,
}))
const EditProfilePage = lazy(async () => ({
  default: (await import('./features/tools/profiles/edit-page')).EditProfilePage,
}))
const SwitchPage = lazy(async () => ({ default: (await import('./features/tools/profiles/switch-page')).SwitchPage }))
const HistoryPage = lazy(async () => ({ default: (await import('./features/tools/history/history-page')).HistoryPage }))
const RewindPage = lazy(async () => ({ default: (await import('./features/tools/history/rewind-page')).RewindPage }))
const PlansPage = lazy(async () => ({ default: (await import('./features/plans/plans-page')).PlansPage }))
const PlanPage = lazy(async () => ({ default: (await import('./features/plans/plan-page')).PlanPage }))
const PackagesPage = lazy(async () => ({
  default: (await import('./features/plans/packages/packages-page')).PackagesPage,
}))
const PackagePage = lazy(async () => ({
  default: (await import('./features/plans/packages/package-page')).PackagePage,
}))
const ComparePage = lazy(async () => ({
  default: (await import('./features/plans/packages/compare-page')).ComparePage,
}))
const NewPlanPage = lazy(async () => ({ default: (await import('./features/plans/new-plan-page')).NewPlanPage }))
const UsagePage = lazy(async () => ({ default: (await import('./features/usage/usage-page')).UsagePage }))
const UsageRequestsPage = lazy(async () => ({
  default: (await import('./features/usage/requests-page')).RequestsPage,
}))
const BurnDownPage = lazy(async () => ({
  default: (await import('./features/usage/quota/burn-down-page')).BurnDownPage,
}))
const TeamPage = lazy(async () => ({ default: (await import('./features/team/team-page')).TeamPage }))
const BudgetsPage = lazy(async () => ({ default: (await import('./features/usage/budgets/budgets-page')).BudgetsPage }))
const AlertsPage = lazy(async () => ({ default: (await import('./features/usage/alerts/alerts-page')).AlertsPage }))
const SourcesPage = lazy(async () => ({
  default: (await import('./features/settings/sources/sources-page')).SourcesPage,
}))
const RelayPage = lazy(async () => ({ default: (await import('./features/relay/relay-page')).RelayPage }))
const ReroutePage = lazy(async () => ({ default: (await import('./features/relay/reroute-page')).ReroutePage }))
const HolderPage = lazy(async () => ({ default: (await import('./features/keys/register/holder-page')).HolderPage }))
const RegisterPage = lazy(async () => ({
  default: (await import('./features/keys/register/register-page')).RegisterPage,
}))
const RotatePage = lazy(async () => ({ default: (await import('./features/keys/rotation/rotate-page')).RotatePage }))
const BulkRotationPage = lazy(async () => ({
  default: (await import('./features/keys/rotation/bulk-page')).BulkRotationPage,
}))
const RotationPage = lazy(async () => ({
  default: (await import('./features/keys/rotation/rotation-page')).RotationPage,
}))
const HandoutPage = lazy(async () => ({ default: (await import('./features/keys/handouts/handout-page')).HandoutPage }))
const BulkHandoutPage = lazy(async () => ({
  default: (await import('./features/keys/handouts/bulk-page')).BulkHandoutPage,
}))
const OpenKeyFilePage = lazy(async () => ({
  default: (await import('./features/keys/handouts/open-page')).OpenKeyFilePage,
}))
const SandboxPage = lazy(async () => ({ default: (await import('./features/sandbox/sandbox-page')).SandboxPage }))
const ChatPage = lazy(async () => ({ default: (await import('./features/playground/chat-page')).ChatPage }))
const ComparisonsPage = lazy(async () => ({
  default: (await import('./features/playground/compare/comparisons-page')).ComparisonsPage,
}))
const ComparisonPage = lazy(async () => ({
  default: (await import('./features/playground/compare/comparison-page')).ComparisonPage,
}))
const PromptsPage = lazy(async () => ({
  default: (await import('./features/playground/prompts/prompts-page')).PromptsPage,
}))
const PromptPage = lazy(async () => ({
  default: (await import('./features/playground/prompts/prompt-page')).PromptPage,
}))
const CompletionPage = lazy(async () => ({
  default: (await import('./features/playground/inference/completion-page')).CompletionPage,
}))
const EmbeddingsPage = lazy(async () => ({
  default: (await import('./features/playground/inference/embeddings-page')).EmbeddingsPage,
}))
const MemoryRoutes = lazy(async () => ({ default: (await import('./features/platform/memory/routes')).MemoryRoutes }))
const RuntimesRoutes = lazy(async () => ({
  default: (await import('./features/platform/runtimes/routes')).RuntimesRoutes,
}))
const RegistryRoutes = lazy(async () => ({
  default: (await import('./features/platform/registry/routes')).RegistryRoutes,
}))
const IdentitiesRoutes = lazy(async () => ({
  default: (await import('./features/platform/identities/routes')).IdentitiesRoutes,
}))
const ModelsRoutes = lazy(async () => ({ default: (await import('./features/platform/models/routes')).ModelsRoutes }))
const ConnectionsPage = lazy(async () => ({
  default: (await import('./features/connections/connections-page')).ConnectionsPage,
}))
const HelpPage = lazy(async () => ({ default: (await import('./features/help/help-page')).HelpPage }))
const SettingsPage = lazy(async () => ({ default: (await import('./features/settings/settings-page')).SettingsPage }))

function AppEffects() {
  const navigate = useNavigate()
  const { theme, locale, shortcuts } = useSettings()
  useMainNavigation(navigate)
  useForgetOldVerifications()
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  useEffect(() => void setLocale(locale), [locale])
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
        <Route path="/tools" element={<ToolsPage />} />
        <Route path="/tools/set-up" element={<SetUpPage />} />
        <Route path="/tools/mcp" element={<McpPage />} />
        <Route path="/tools/remove-all" element={<RemoveAllPage />} />
        <Route path="/tools/:toolId" element={<ToolPage />} />
        <Route path="/tools/:toolId/doctor" element={<ToolDoctorPage />} />
        <Route path="/doctor" element={<DoctorPage />} />
        <Route path="/profiles" element={<ProfilesPage />} />
        <Route path="/profiles/import" element={<ImportProfilePage />} />
        <Route path="/profiles/:profileId" element={<EditProfilePage />} />
        <Route path="/profiles/:profileId/switch" element={<SwitchPage />} />
        <Route path="/history" element={<HistoryPage />} />
        <Route path="/history/:entryId" element={<RewindPage />} />
        <Route path="/plans" element={<PlansPage />} />
        <Route path="/plans/new" element={<NewPlanPage />} />
        <Route path="/plans/packages" element={<PackagesPage />} />
        <Route path="/plans/packages/compare" element={<ComparePage />} />
        <Route path="/plans/packages/:packageId" element={<PackagePage />} />
        <Route path="/plans/:planId" element={<PlanPage />} />
        <Route path="/usage" element={<UsagePage />} />
        <Route path="/usage/left" element={<UsagePage />} />
        <Route path="/usage/burn-down" element={<BurnDownPage />} />
        <Route path="/usage/requests" element={<UsageRequestsPage />} />
        <Route path="/usage/alerts" element={<AlertsPage />} />
        <Route path="/usage/budgets" element={<BudgetsPage />} />
        <Route path="/usage/sources" element={<SourcesPage />} />
        <Route path="/relay" element={<RelayPage />} />
        <Route path="/relay/point" element={<ReroutePage />} />
        <Route path="/register" element={<RegisterPage />} />
        <Route path="/register/holders" element={<RegisterPage />} />
        <Route path="/register/holders/:holderId" element={<HolderPage />} />
        <Route path="/register/rotations" element={<RegisterPage />} />
        <Route path="/register/audit" element={<RegisterPage />} />
        <Route path="/rotate" element={<RotatePage />} />
        <Route path="/rotate/many" element={<BulkRotationPage />} />
        <Route path="/rotate/:rotationId" element={<RotationPage />} />
        <Route path="/handout" element={<HandoutPage />} />
        <Route path="/handout/many" element={<BulkHandoutPage />} />
        <Route path="/handout/open" element={<OpenKeyFilePage />} />
        <Route path="/team" element={<TeamPage />} />
        <Route path="/sandbox" element={<SandboxPage />} />
        <Route path="/playground" element={<ChatPage />} />
        <Route path="/playground/chat/:conversationId" element={<ChatPage />} />
        <Route path="/playground/compare" element={<ComparisonsPage />} />
        <Route path="/playground/compare/:comparisonId" element={<ComparisonPage />} />
        <Route path="/playground/prompts" element={<PromptsPage />} />
        <Route path="/playground/prompts/:promptId" element={<PromptPage />} />
        <Route path="/playground/completion" element={<CompletionPage />} />
        <Route path="/playground/embeddings" element={<EmbeddingsPage />} />
        <Route path="/playground/*" element={<Navigate to="/playground" replace />} />
        <Route path="/memory/*" element={<MemoryRoutes />} />
        <Route path="/runtimes/*" element={<RuntimesRoutes />} />
        <Route path="/registry/*" element={<RegistryRoutes />} />
        <Route path="/identities/*" element={<IdentitiesRoutes />} />
        <Route path="/models/*" element={<ModelsRoutes />} />
        <Route path="/connections" element={<ConnectionsPage />} />
        <Route path="/settings" element={<SettingsPage />} />
        <Route path="/help/*" element={<HelpPage />} />
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  )
}

function App({ queries, root }: { readonly queries: QueryClient; readonly root: HTMLElement }) {
  useEffect(() => showWindow(root, queries), [root, queries])
  return (
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <HashRouter>
          <AppEffects />
          <Pages />
          <Help />
          <Toasts />
        </HashRouter>
      </TooltipProvider>
    </QueryClientProvider>
  )
}

/** Overlay, also available on the first screen. */
function Help() {
  const isOpen = useSession(({ help }) => help !== undefined)
  return <Suspense fallback={null}>{isOpen ? <HelpPanel /> : null}</Suspense>
}

function Toasts() {
  const { t } = useTranslation('common')
  const { theme } = useSettings()
  return <Toaster theme={theme} label={t('notifications')} />
}

const Sonner = lazy(async () => ({ default: (await import('sonner')).Toaster }))

/** Area for toasts. Render it once around the app. Its code loads after the first paint. */
export function Toaster({ theme, label }: { readonly theme: 'system' | 'light' | 'dark'; readonly label: string }) {
  return (
    <Suspense fallback={null}>
      <Sonner
        theme={theme}
        // The bottom center keeps toasts away from titles, buttons and footers.
        position="bottom-center"
        offset={{ bottom: 88 }}
        containerAriaLabel={label}
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

const loadPalette = async () => ({ default: (await import('./features/shell/palette/palette')).Palette })
const Palette = lazy(loadPalette)
const RecoveryNotice = lazy(async () => ({
  default: (await import('./features/tools/history/recovery-notice')).RecoveryNotice,
}))
const HelpPanel = lazy(async () => ({ default: (await import('./features/help/help-panel')).HelpPanel }))
const Tour = lazy(async () => ({ default: (await import('./features/help/tour')).Tour }))
const NewsStrip = lazy(async () => ({ default: (await import('./features/help/tour')).NewsStrip }))

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
  const { t } = useTranslation('common')
  return (
    <Page>
      <Callout
        tone="danger"
        title={t('crash.title')}
        details={error.message}
        actions={
          <Button size="sm" onClick={retry}>
            {t('retry')}
          </Button>
        }
      >
        {t('crash.text')}
      </Callout>
    </Page>
  )
}

function AppOverlays() {
  const { isPaletteOpen } = useSession()
  return <Suspense fallback={null}>{isPaletteOpen ? <Palette /> : null}</Suspense>
}

export function Shell() {
  const { t } = useTranslation('shell')
  const location = useLocation()
  const { pathname } = location
  const mainRef = useRef<HTMLElement>(null)
  const { newsSeen } = useSettings()
  const isTourActive = useSession(({ tourStep }) => tourStep !== undefined)
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
        {t('skip')}
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
      <AppOverlays />
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
    const { openPalette, openHelp } = useSession.getState()
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
