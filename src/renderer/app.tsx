import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { HashRouter, Navigate, Route, Routes, useNavigate } from 'react-router'
import { HomePage } from './features/home/home-page'
import { Shell } from './features/shell/shell'
import { setLocale } from './i18n'
import { useMainEvents } from './ipc'
import { useSettings } from './settings'
import { Toaster } from './ui/toaster'
import { TooltipProvider } from './ui/tooltip'

const WelcomePage = lazy(async () => ({ default: (await import('./features/welcome/welcome-page')).WelcomePage }))
const ToolsPage = lazy(async () => ({ default: (await import('./features/tools/tools-page')).ToolsPage }))
const ToolPage = lazy(async () => ({ default: (await import('./features/tools/tool-page')).ToolPage }))
const SetUpPage = lazy(async () => ({ default: (await import('./features/tools/set-up-page')).SetUpPage }))
const RemoveAllPage = lazy(async () => ({
  default: (await import('./features/tools/remove-all-page')).RemoveAllPage,
}))
const ToolDoctorPage = lazy(async () => ({
  default: (await import('./features/doctor/tool-doctor-page')).ToolDoctorPage,
}))
const DoctorPage = lazy(async () => ({ default: (await import('./features/doctor/doctor-page')).DoctorPage }))
const ProfilesPage = lazy(async () => ({ default: (await import('./features/profiles/profiles-page')).ProfilesPage }))
const ImportProfilePage = lazy(async () => ({
  default: (await import('./features/profiles/import-page')).ImportProfilePage,
}))
const EditProfilePage = lazy(async () => ({ default: (await import('./features/profiles/edit-page')).EditProfilePage }))
const SwitchPage = lazy(async () => ({ default: (await import('./features/profiles/switch-page')).SwitchPage }))
const HistoryPage = lazy(async () => ({ default: (await import('./features/history/history-page')).HistoryPage }))
const RewindPage = lazy(async () => ({ default: (await import('./features/history/rewind-page')).RewindPage }))
const PlansPage = lazy(async () => ({ default: (await import('./features/plans/plans-page')).PlansPage }))
const PlanPage = lazy(async () => ({ default: (await import('./features/plans/plan-page')).PlanPage }))
const PackagesPage = lazy(async () => ({ default: (await import('./features/packages/packages-page')).PackagesPage }))
const PackagePage = lazy(async () => ({ default: (await import('./features/packages/package-page')).PackagePage }))
const ComparePage = lazy(async () => ({ default: (await import('./features/packages/compare-page')).ComparePage }))
const NewPlanPage = lazy(async () => ({ default: (await import('./features/plans/new-plan-page')).NewPlanPage }))
const UsagePage = lazy(async () => ({ default: (await import('./features/usage/usage-page')).UsagePage }))
const UsageRequestsPage = lazy(async () => ({
  default: (await import('./features/usage/requests-page')).RequestsPage,
}))
const AlertsPage = lazy(async () => ({ default: (await import('./features/alerts/alerts-page')).AlertsPage }))
const SourcesPage = lazy(async () => ({ default: (await import('./features/sources/sources-page')).SourcesPage }))
const RelayPage = lazy(async () => ({ default: (await import('./features/relay/relay-page')).RelayPage }))
const PointPage = lazy(async () => ({ default: (await import('./features/relay/point-page')).PointPage }))
const RegisterPage = lazy(async () => ({ default: (await import('./features/register/register-page')).RegisterPage }))
const RotatePage = lazy(async () => ({ default: (await import('./features/rotation/rotate-page')).RotatePage }))
const RotateManyPage = lazy(async () => ({ default: (await import('./features/rotation/many-page')).RotateManyPage }))
const RotationPage = lazy(async () => ({ default: (await import('./features/rotation/rotation-page')).RotationPage }))
const HandoutPage = lazy(async () => ({ default: (await import('./features/handouts/handout-page')).HandoutPage }))
const HandoutManyPage = lazy(async () => ({
  default: (await import('./features/handouts/many-page')).HandoutManyPage,
}))
const OpenKitPage = lazy(async () => ({ default: (await import('./features/handouts/open-page')).OpenKitPage }))
const SandboxPage = lazy(async () => ({ default: (await import('./features/sandbox/sandbox-page')).SandboxPage }))
const PlaygroundRoutes = lazy(async () => ({
  default: (await import('./features/playground/routes')).PlaygroundRoutes,
}))
const MemoryRoutes = lazy(async () => ({ default: (await import('./features/memory/routes')).MemoryRoutes }))
const RuntimesRoutes = lazy(async () => ({ default: (await import('./features/runtimes/routes')).RuntimesRoutes }))
const RegistryRoutes = lazy(async () => ({ default: (await import('./features/registry/routes')).RegistryRoutes }))
const IdentitiesRoutes = lazy(async () => ({
  default: (await import('./features/identities/routes')).IdentitiesRoutes,
}))
const ModelsRoutes = lazy(async () => ({ default: (await import('./features/models/routes')).ModelsRoutes }))
const ConnectionsPage = lazy(async () => ({
  default: (await import('./features/connections/connections-page')).ConnectionsPage,
}))
const SettingsPage = lazy(async () => ({ default: (await import('./features/settings/settings-page')).SettingsPage }))

/** Keeps theme, language and place in step with settings and with what main says. */
function Follow() {
  const navigate = useNavigate()
  const { theme, locale } = useSettings()
  useMainEvents(navigate)
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  useEffect(() => void setLocale(locale), [locale])
  return null
}

/** Home, or the first screen when it was never answered. */
function Start() {
  const { welcomed } = useSettings()
  return welcomed ? <HomePage /> : <Navigate to="/welcome" replace />
}

function Pages() {
  return (
    <Routes>
      <Route
        path="/welcome"
        element={
          <Suspense fallback={null}>
            <WelcomePage />
          </Suspense>
        }
      />
      <Route element={<Shell />}>
        <Route index element={<Start />} />
        <Route path="/tools" element={<ToolsPage />} />
        <Route path="/tools/set-up" element={<SetUpPage />} />
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
        <Route path="/usage/requests" element={<UsageRequestsPage />} />
        <Route path="/usage/alerts" element={<AlertsPage />} />
        <Route path="/usage/sources" element={<SourcesPage />} />
        <Route path="/relay" element={<RelayPage />} />
        <Route path="/relay/point" element={<PointPage />} />
        <Route path="/register" element={<RegisterPage />} />
        <Route path="/register/rotations" element={<RegisterPage />} />
        <Route path="/register/audit" element={<RegisterPage />} />
        <Route path="/rotate" element={<RotatePage />} />
        <Route path="/rotate/many" element={<RotateManyPage />} />
        <Route path="/rotate/:rotationId" element={<RotationPage />} />
        <Route path="/handout" element={<HandoutPage />} />
        <Route path="/handout/many" element={<HandoutManyPage />} />
        <Route path="/handout/open" element={<OpenKitPage />} />
        <Route path="/sandbox" element={<SandboxPage />} />
        <Route path="/playground/*" element={<PlaygroundRoutes />} />
        <Route path="/memory/*" element={<MemoryRoutes />} />
        <Route path="/runtimes/*" element={<RuntimesRoutes />} />
        <Route path="/registry/*" element={<RegistryRoutes />} />
        <Route path="/identities/*" element={<IdentitiesRoutes />} />
        <Route path="/models/*" element={<ModelsRoutes />} />
        <Route path="/connections" element={<ConnectionsPage />} />
        <Route path="/settings" element={<SettingsPage />} />
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  )
}

/** The window: what every page needs around it, and the pages. */
export function App({ queries }: { readonly queries: QueryClient }) {
  return (
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <HashRouter>
          <Follow />
          <Pages />
          <Toasts />
        </HashRouter>
      </TooltipProvider>
    </QueryClientProvider>
  )
}

function Toasts() {
  const { t } = useTranslation('common')
  const { theme } = useSettings()
  return <Toaster theme={theme} label={t('notifications')} />
}
