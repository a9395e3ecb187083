import type { ConnectionView, PlanView } from '@shared/contract'
import { holderId } from '@shared/contract/register'
import type { ShortcutId } from '@shared/shortcuts'
import {
  Activity,
  ArrowRightLeft,
  Bell,
  BookText,
  Cable,
  ChartColumn,
  Check,
  CircleAlert,
  CirclePause,
  CirclePlay,
  CircleQuestionMark,
  CircleStop,
  Columns3,
  Copy,
  Database,
  FlaskConical,
  Footprints,
  Gauge,
  History,
  Info,
  Keyboard,
  KeyRound,
  Languages,
  Layers,
  MessageSquareText,
  PackageOpen,
  Play,
  Plug,
  Plus,
  RotateCw,
  Scan,
  ScanText,
  ScrollText,
  Send,
  Sparkles,
  SquarePen,
  Stethoscope,
  SunMoon,
  TicketCheck,
  TriangleAlert,
  Wallet,
  Waypoints,
  Wrench,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCopyText } from '../../../copy-text'
import { useFormats } from '../../../format'
import { useFailureTexts, useFailureToast } from '../../../i18n/failures'
import { CallError, call, useCall } from '../../../ipc'
import {
  aboutPath,
  alertsPath,
  auditPath,
  budgetsPath,
  bulkHandoutPath,
  chatPath,
  comparePath,
  completionPath,
  connectionPath,
  embeddingsPath,
  enterCodePath,
  errorsPath,
  figuresPath,
  findKeyPath,
  handoutsPath,
  holderPath,
  newConnectionPath,
  newsPath,
  openKeyFilePath,
  promptsPath,
  quotaPath,
  relayPath,
  requestsPath,
  rotateKeyPath,
  rotatePath,
  rotationsPath,
  shortcutsPath,
  sourcesPath,
  switchProfilePath,
} from '../../../paths'
import { useCurrentPlan, useSession } from '../../../session'
import { useUpdateSettings, useZoom } from '../../../settings'
import { splitShortcut, useShortcuts } from '../../../shortcuts'
import { toast } from '../../../ui/toast'
import { useSwitchWithToast } from '../../connections'
import { entryKey, holderIcon, knownHolders, rotatableKeys } from '../../connections/account'
import { useRelay, useRelayActions } from '../../relay'
import { setUpPath, toolPath } from '../../tools'
import { navigationItems, settingsItem } from '..'
import { type Command, commandGroups, usePlatformCommands } from './use-platform-commands'

function useNavigationCommands(): readonly Command[] {
  const { t } = useTranslation(['palette', 'shell'])
  const shortcuts = useShortcuts()
  return [
    ...[...navigationItems, settingsItem].map(
      ({ id, path, icon }): Command => ({
        id,
        group: 'go',
        label: t(`shell:places.${id}`),
        icon,
        ...(id in shortcuts && { keys: splitShortcut(shortcuts[id as ShortcutId]) }),
        path,
      }),
    ),
    { id: 'about', group: 'window', label: t('about'), icon: Info, path: aboutPath },
    { id: 'add-plan', group: 'plans', label: t('addPlan'), icon: Plus, path: '/plans/new' },
    { id: 'add-connection', group: 'connections', label: t('addConnection'), icon: Plus, path: newConnectionPath },
  ]
}

function useConnectionCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const switchConnection = useSwitchWithToast()
  const { data: connections = [] } = useCall('connections.list', {})
  const group = 'connections'
  const toSwitchCommand = (connection: ConnectionView): Command => ({
    id: `switch-${connection.id}`,
    group,
    label: t('switchTo', { connection: connection.name }),
    icon: connection.isBuiltIn ? FlaskConical : Cable,
    run: () => switchConnection(connection),
  })
  return [
    ...connections.filter(({ isActive }) => !isActive).map(toSwitchCommand),
    ...connections.flatMap(({ id, name: connection }): Command[] => [
      {
        id: `test-${id}`,
        group,
        label: t('testConnection', { connection }),
        also: 'test check',
        icon: Activity,
        path: connectionPath(id, { test: true }),
      },
      {
        id: `show-${id}`,
        group,
        label: t('openConnection', { connection }),
        icon: Cable,
        path: connectionPath(id),
      },
    ]),
  ]
}

function useToolCommands(): readonly Command[] {
  const { t } = useTranslation(['palette', 'tools'])
  const { data: tools = [] } = useCall('tools.list', {})
  const group = 'tools'
  const canSetUp = tools.some(({ kind, installed }) => kind === 'written' && installed)
  return [
    ...tools
      .filter(({ kind }) => kind !== 'unsupported')
      .map(
        ({ id, name }): Command => ({
          id: `configure-${id}`,
          group,
          label: t('palette:configure', { tool: name }),
          icon: Wrench,
          path: toolPath(id, 'configure'),
        }),
      ),
    ...(canSetUp
      ? [{ id: 'set-up-all', group, label: t('tools:setUpAll'), icon: Wrench, path: setUpPath() } as const]
      : []),
  ]
}

function useProfileCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const { data: profiles = [] } = useCall('profiles.list', {})
  const group = 'tools'
  return [
    ...profiles
      .filter(({ isActive }) => !isActive)
      .map(
        ({ id, name: profile }): Command => ({
          id: `profile-${id}`,
          group,
          label: t('switchProfile', { profile }),
          icon: ArrowRightLeft,
          path: switchProfilePath(id),
        }),
      ),
    { id: 'history', group, label: t('history'), icon: History, path: '/history' },
    { id: 'examine', group, label: t('examine'), icon: Stethoscope, path: '/doctor?run=1' },
  ]
}

/** Runs a live check and shows the result in a toast. */
function useCheckWithToast(): (plan: PlanView) => void {
  const { t } = useTranslation('palette')
  const { duration } = useFormats()
  const getFailureTexts = useFailureTexts()
  const navigate = useNavigate()
  return async ({ id, name }) => {
    const action = { label: t('look'), onClick: () => void navigate(`/plans/${id}`) }
    void toast(t('checking', { plan: name }), { tone: 'info' })
    try {
      const check = await call('plans.check', { planId: id })
      if (check.ok) return void toast(t('planAnswers', { plan: name, time: duration(check.durationMs) }))
      const { title } = getFailureTexts(check.failure, { plan: name })
      void toast(t('planFails', { plan: name, title }), { tone: 'danger', action })
    } catch (error) {
      const title = error instanceof CallError ? getFailureTexts(error.failure, { plan: name }).title : ''
      void toast(t('planFails', { plan: name, title }), { tone: 'danger', action })
    }
  }
}

function usePlanCommands(): readonly Command[] {
  const { t } = useTranslation(['palette', 'common'])
  const check = useCheckWithToast()
  const { data: plans = [] } = useCall('plans.list', {})
  const currentPlan = useCurrentPlan()
  const choosePlan = useSession((session) => session.choosePlan)
  const createPlanSelector = (plan: PlanView) => (): void => {
    choosePlan(plan.id)
    void toast(t('planUsed', { plan: plan.name }))
  }
  const copyText = useCopyText()
  const copy = (text: string) => (): void => copyText(text, { title: t('gatewayCopied'), description: text })
  return plans.flatMap((plan): Command[] => {
    const { id, name, gatewayUrl } = plan
    const group = 'plans'
    return [
      {
        id: `check-${id}`,
        group,
        label: t('checkPlan', { plan: name }),
        icon: Activity,
        also: 'test check',
        run: () => check(plan),
      },
      {
        id: `copy-${id}`,
        group,
        label: t('copyGateway', { plan: name }),
        icon: Copy,
        also: gatewayUrl,
        run: copy(gatewayUrl),
      },
      {
        id: `open-${id}`,
        group,
        label: t('openPlan', { plan: name }),
        icon: Layers,
        path: `/plans/${id}`,
      },
      ...(id === currentPlan?.id
        ? []
        : [
            {
              id: `use-${id}`,
              group,
              label: t('usePlan', { plan: name }),
              icon: Check,
              run: createPlanSelector(plan),
            } as const,
          ]),
    ]
  })
}

function useWindowCommands(): readonly Command[] {
  const { t } = useTranslation(['palette', 'settings'])
  const update = useUpdateSettings()
  const changeZoom = useZoom()
  const { openHelp, goOnTour: startTour } = useSession()
  const { help } = useShortcuts()
  const group = 'window'
  const languages = { system: t('settings:appearance.system'), en: 'English', vi: 'Tiếng Việt' } as const
  return [
    ...(['system', 'light', 'dark'] as const).map(
      (theme): Command => ({
        id: `theme-${theme}`,
        group,
        label: t('theme', { name: t(`settings:appearance.${theme}`) }),
        icon: SunMoon,
        run: () => void update({ theme }),
      }),
    ),
    ...(['system', 'en', 'vi'] as const).map(
      (language): Command => ({
        id: `language-${language}`,
        group,
        label: t('language', { name: languages[language] }),
        also: 'language ngôn ngữ',
        icon: Languages,
        run: () => void update({ language }),
      }),
    ),
    ...(['in', 'out', 'reset'] as const).map(
      (step): Command => ({
        id: `zoom-${step}`,
        group,
        label: t(`settings:appearance.zoomSteps.${step}`),
        also: 'zoom size phóng to thu nhỏ cỡ',
        icon: step === 'in' ? ZoomIn : step === 'out' ? ZoomOut : Scan,
        keys: ['Mod', { in: '+', out: '-', reset: '0' }[step]],
        run: () => changeZoom(step),
      }),
    ),
    {
      id: 'help',
      group,
      label: t('help'),
      icon: CircleQuestionMark,
      keys: splitShortcut(help),
      run: () => openHelp('page'),
    },
    { id: 'shortcuts', group, label: t('shortcuts'), icon: Keyboard, path: shortcutsPath },
    { id: 'errors', group, label: t('errors'), icon: CircleAlert, path: errorsPath() },
    { id: 'tour', group, label: t('tour'), icon: Footprints, run: () => startTour(1) },
    { id: 'news', group, label: t('news'), icon: Sparkles, path: newsPath },
  ]
}

function useKeyCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const { data: plans = [] } = useCall('plans.list', {})
  const group = 'keys'
  const { data: entries = [] } = useCall('register.known', {})
  return [
    { id: 'rotate', group, label: t('rotate'), icon: RotateCw, path: rotatePath },
    { id: 'hand-out', group, label: t('handOut'), icon: Send, path: handoutsPath },
    { id: 'hand-out-many', group, label: t('handOutMany'), icon: Send, path: bulkHandoutPath },
    { id: 'receive', group, label: t('receive'), icon: PackageOpen, path: openKeyFilePath },
    { id: 'enter-code', group, label: t('enterCode'), icon: TicketCheck, path: enterCodePath },
    { id: 'rotations', group, label: t('rotations'), icon: RotateCw, path: rotationsPath },
    { id: 'audit', group, label: t('audit'), icon: ScrollText, path: auditPath },
    ...rotatableKeys(plans).map(
      (rotatableKey): Command => ({
        id: `rotate-${rotatableKey.planId}-${rotatableKey.keyId}`,
        group,
        label: t('rotateKey', { key: rotatableKey.key.name, plan: rotatableKey.plan.name }),
        also: 'rotate key',
        icon: RotateCw,
        path: rotateKeyPath(rotatableKey),
      }),
    ),
    ...knownHolders(entries).map(
      (holder): Command => ({
        id: `holder-${holderId(holder)}`,
        group,
        label: t('openHolder', { holder: holder.name }),
        icon: holderIcon(holder),
        path: holderPath(holderId(holder)),
      }),
    ),
    ...entries.map(
      (entry): Command => ({
        id: `key-${entryKey(entry)}`,
        group,
        label: t('openKey', { key: entry.keyName, plan: entry.planLabel ?? entry.planName }),
        icon: KeyRound,
        path: findKeyPath(entry.keyName),
      }),
    ),
  ]
}

/** All commands of the palette, in display order. */
export function useCommands(): readonly Command[] {
  const allCommands = [
    ...useNavigationCommands(),
    ...useConnectionCommands(),
    ...useToolCommands(),
    ...useProfileCommands(),
    ...usePlanCommands(),
    ...useUsageCommands(),
    ...useRelayCommands(),
    ...useKeyCommands(),
    ...usePlatformCommands(),
    ...usePlaygroundCommands(),
    ...useWindowCommands(),
  ]
  return allCommands.toSorted((a, b) => commandGroups.indexOf(a.group) - commandGroups.indexOf(b.group))
}

const recentChats = 12

function usePlaygroundCommands(): readonly Command[] {
  const { t } = useTranslation('playground')
  const { data } = useCall('playground.conversations', {})
  const group = 'playground'
  return [
    { id: 'chat-new', group, label: t('palette.newChat'), icon: SquarePen, path: chatPath() },
    { id: 'chat-compare', group, label: t('palette.compare'), icon: Columns3, path: comparePath },
    { id: 'chat-prompts', group, label: t('palette.prompts'), icon: BookText, path: promptsPath },
    { id: 'chat-completion', group, label: t('palette.completion'), icon: ScanText, path: completionPath },
    { id: 'chat-embeddings', group, label: t('palette.embeddings'), icon: Waypoints, path: embeddingsPath },
    ...(data?.items ?? []).slice(0, recentChats).map(
      ({ id, title }): Command => ({
        id: `chat-${id}`,
        group,
        label: t('palette.openChat', { title }),
        icon: MessageSquareText,
        path: chatPath(id),
      }),
    ),
  ]
}

function useUsageCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const { data: plans = [] } = useCall('plans.list', {})
  const group = 'usage'
  return [
    { id: 'usage-left', group, label: t('usage.left'), icon: Gauge, path: quotaPath },
    {
      id: 'usage-errors',
      group,
      label: t('usage.errors'),
      icon: TriangleAlert,
      path: requestsPath({ scope: 'machine', onlyErrors: true }),
    },
    ...plans.map(
      ({ id, name: plan }): Command => ({
        id: `usage-${id}`,
        group,
        label: t('usage.ofPlan', { plan }),
        icon: ChartColumn,
        path: figuresPath({ scope: 'machine', planId: id }),
      }),
    ),
  ]
}

/** Starts, stops and pauses the relay, with the result in a toast. */
function useSwitchCommands(): readonly Command[] {
  const { t } = useTranslation(['palette', 'relay'])
  const navigate = useNavigate()
  const showFailureToast = useFailureToast()
  const { data: relay } = useRelay()
  const { starting, stopping, pausing } = useRelayActions()
  const toastOptions = {
    onSuccess: ({ state }: NonNullable<typeof relay>) => void toast(t(`palette:relay.now.${state}`)),
    onError: showFailureToast(),
  }
  const isUsed = relay?.tools.some(({ isPointedHere }) => isPointedHere)
  const group = 'tools'
  if (!relay || relay.state === 'starting') return []
  if (relay.state === 'off' || relay.state === 'failed') {
    return [
      { id: 'relay-start', group, label: t('relay:start'), icon: Play, run: () => starting.mutate({}, toastOptions) },
    ]
  }
  const isPausable = relay.state === 'on'
  return [
    {
      id: 'relay-pause',
      group,
      label: t(isPausable ? 'palette:relay.pause' : 'palette:relay.resume'),
      icon: isPausable ? CirclePause : CirclePlay,
      run: () => pausing.mutate({ paused: isPausable }, toastOptions),
    },
    {
      id: 'relay-stop',
      group,
      label: t('palette:relay.stop'),
      icon: CircleStop,
      // Open the relay page, which asks for confirmation if tools use the relay.
      run: () => (isUsed ? void navigate(relayPath) : stopping.mutate({}, toastOptions)),
    },
  ]
}

function useRelayCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const { t: mcp } = useTranslation('mcp')
  const { t: budgets } = useTranslation('budgets')
  const switchCommands = useSwitchCommands()
  return [
    { id: 'relay', group: 'tools', label: t('relay.open'), icon: Waypoints, path: relayPath },
    {
      id: 'relay-set-up',
      group: 'tools',
      label: t('relay.setUp'),
      icon: Waypoints,
      path: setUpPath({ route: 'relay' }),
    },
    { id: 'mcp', group: 'tools', label: mcp('title'), icon: Plug, path: '/tools/mcp' },
    ...switchCommands,
    { id: 'alerts', group: 'usage', label: t('alerts'), icon: Bell, path: alertsPath },
    { id: 'budgets', group: 'usage', label: budgets('title'), icon: Wallet, path: budgetsPath },
    { id: 'sources', group: 'usage', label: t('sources'), icon: Database, path: sourcesPath },
  ]
}
