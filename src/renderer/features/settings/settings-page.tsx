import type { AppView, MethodInput, UpdatesView } from '@shared/contract'
import { zoomSteps } from '@shared/shortcuts'
import i18next from 'i18next'
import { ChevronRight, Copy, KeyRound, Monitor, Moon, ShieldAlert, Sun } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { formatBytes, getLocale, numberFormat } from '../../format'
import { showFailureToast } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { useSettings, useUpdateSettings } from '../../settings'
import { useSettingAction } from '../../toast-actions'
import { type Action, Button, renderActions } from '../../ui/button'
import { Chips } from '../../ui/chips'
import { joinClassNames } from '../../ui/cn'
import { Dialog } from '../../ui/dialog'
import { Markdown } from '../../ui/markdown/markdown'
import { Meter } from '../../ui/meter'
import { Card, CardSection, Page, PageHeader, Section } from '../../ui/page'
import { SegmentedRow } from '../../ui/radio-cards'
import { ControlRow, KeyValue } from '../../ui/rows'
import { Select } from '../../ui/select'
import { SwitchRow } from '../../ui/switch'
import { Hint } from '../../ui/text'
import { toast } from '../../ui/toast'
import { ShortcutList } from '../help'
import { MetricsSection } from '../relay/metrics'
import { AlertSection, WebhookSection } from '../usage/alerts'
import { KeychainAdvice, ReplacedNotice } from '.'

const t = i18next.getFixedT(null, ['settings', 'rotation'])

function Appearance() {
  const { theme, language, zoomPercent } = useSettings()
  const share = (percent: number): string => numberFormat({ style: 'percent' }).format(percent / 100)
  const update = useUpdateSettings()
  const change = (changes: MethodInput<'settings.update'>): void => {
    update(changes).catch(showFailureToast({ title: t('settings:notSaved') }))
  }
  return (
    <>
      <SegmentedRow
        label={t('appearance.theme')}
        value={theme}
        segments={[
          { value: 'system', label: t('appearance.system'), icon: Monitor },
          { value: 'light', label: t('appearance.light'), icon: Sun },
          { value: 'dark', label: t('appearance.dark'), icon: Moon },
        ]}
        onValueChange={(chosenTheme) => change({ theme: chosenTheme })}
      />
      <SegmentedRow
        label={t('appearance.language')}
        hint={t('appearance.languageHint')}
        value={language}
        segments={[
          { value: 'system', label: t('appearance.system') },
          { value: 'en', label: 'English' },
          { value: 'vi', label: 'Tiếng Việt' },
        ]}
        onValueChange={(chosenLanguage) => change({ language: chosenLanguage })}
      />
      <ControlRow
        label={t('appearance.zoom')}
        control={
          <Select
            aria-label={t('appearance.zoom')}
            className="w-28"
            value={String(zoomPercent)}
            options={zoomSteps.map((percent) => ({ value: String(percent), label: share(percent) }))}
            onValueChange={(value) => change({ zoomPercent: Number(value) })}
          />
        }
      />
    </>
  )
}

export function SettingsPage() {
  const app = useCall('app.get', {})
  return (
    <Page width="narrow">
      <PageHeader title={t('title')} />
      <CardSection flush title={t('appearance.title')}>
        <Appearance />
      </CardSection>
      <Section title={t('reminders.title')}>
        <Reminders />
      </Section>
      <AlertSection />
      <WebhookSection />
      <MetricsSection />
      <Loaded query={app} rows={2}>
        {(view) => (
          <>
            <Section title={t('vault.title')}>
              <KeysState vault={view.vault} platform={view.platform} />
            </Section>
            <UpdatesSection />
            <Section title={t('about.title')}>
              <AboutRow app={view} />
            </Section>
          </>
        )}
      </Loaded>
      <Section title={t('shortcuts')}>
        <ShortcutList />
      </Section>
    </Page>
  )
}

export function AboutRow({ app }: { readonly app: AppView }) {
  const [query, setQuery] = useSearchParams()
  const show = (isOpen: boolean): void => setQuery(isOpen ? { about: '1' } : {}, { replace: true })
  return (
    <Card flush>
      <ControlRow
        label={`Platform Companion ${app.version}`}
        control={[{ label: t('about.open'), size: 'md', onClick: () => show(true) }]}
      />
      {query.get('about') === '1' ? <AboutDialog app={app} onClose={() => show(false)} /> : null}
    </Card>
  )
}

function AboutDialog({ app, onClose }: { readonly app: AppView; readonly onClose: () => void }) {
  const { data: about } = useCall('app.about', {})
  const { mutate, isPending } = useAction('app.copyText', { onSuccess: () => void toast(t('about.copied')) })
  const runtime = about && `Electron ${about.electron} · Chromium ${about.chromium} · Node.js ${about.node}`
  const appDetails: readonly (readonly [string, string | undefined])[] = [
    [t('about.version'), app.version],
    [t('about.runtime'), runtime && (about.isStandIn ? `${runtime} (${t('about.standIn')})` : runtime)],
    [t('about.platform'), t(`about.platforms.${app.platform}`)],
    [t('about.licence'), about?.licences === undefined ? 'MIT' : `MIT · ${about.licences}`],
    [t('about.dataDir'), app.dataDir],
  ]
  const text = ['Platform Companion', ...appDetails.map(([label, value]) => `${label}: ${value ?? ''}`)].join('\n')
  return (
    <Dialog
      onClose={onClose}
      title="Platform Companion"
      footer={[
        { label: t('about.copy'), icon: Copy, busy: isPending, disabled: !about, onClick: () => mutate({ text }) },
      ]}
    >
      <KeyValue
        items={appDetails.map(([label, value]) => ({ label, value: <span className="select-text">{value}</span> }))}
      />
    </Dialog>
  )
}

/** Choices for when to remind of a plan's expiry, in days before it. */
const selectableDays = [30, 14, 7, 3, 1] as const

/** Choices for the age of a key that causes a reminder, in days. */
const selectableKeyDays = [30, 60, 90] as const

export function Reminders() {
  const query = useCall('settings.getReminders', {})
  const save = useSettingAction('settings.setReminders', { invalidates: ['settings'] })
  return (
    <Loaded query={query} rows={3}>
      {(savedSettings) => {
        const view = save.isPending ? save.variables : savedSettings
        return (
          <>
            <Card flush>
              <SwitchRow
                checked={view.enabled}
                onCheckedChange={(enabled) => save.mutate({ ...view, enabled })}
                label={t('reminders.enabled')}
                hint={t('reminders.hint')}
              />
              <ControlRow
                label={t('reminders.days')}
                control={
                  <Chips
                    label={t('reminders.days')}
                    chips={selectableDays.map((count) => ({
                      value: String(count),
                      label: t('reminders.day', { count }),
                    }))}
                    chosen={view.days.map(String)}
                    disabled={!view.enabled}
                    onChange={(days) => save.mutate({ ...view, days: days.map(Number) })}
                  />
                }
              />
            </Card>
            <Card>
              <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
                <div>
                  <p className="font-medium">{t('rotation:reminders.title')}</p>
                  <Hint>{t('rotation:reminders.hint')}</Hint>
                </div>
                <Chips
                  label={t('rotation:reminders.title')}
                  chips={selectableKeyDays.map((count) => ({
                    value: String(count),
                    label: t('rotation:reminders.day', { count }),
                  }))}
                  chosen={view.keyDays.map(String)}
                  onChange={(days) => save.mutate({ ...view, keyDays: days.map(Number).toSorted((a, b) => a - b) })}
                />
              </div>
            </Card>
          </>
        )
      }}
    </Loaded>
  )
}

function KeysState({ vault, platform }: Pick<AppView, 'vault' | 'platform'>) {
  const recheckKeychain = useAction('app.recheckVault', {
    invalidates: ['app', 'connections', 'plans'],
    onSuccess: ({ vault: { kind } }) => {
      void (kind === 'keychain' ? toast(t('vault.found')) : toast(t('vault.stillNone'), { tone: 'info' }))
    },
  })
  const isKeychainUsed = vault.kind === 'keychain'
  const Icon = isKeychainUsed ? KeyRound : ShieldAlert
  return (
    <Card>
      <div className="flex items-start gap-3">
        <Icon
          size={18}
          strokeWidth={1.7}
          className={joinClassNames('mt-0.5', isKeychainUsed ? 'text-success' : 'text-warning')}
        />
        <div className="min-w-0 flex-1">
          <p className="font-medium">{t(`vault.${vault.kind}`)}</p>
          <Hint>{isKeychainUsed ? t('vault.keychainText') : t('vault.sessionText')}</Hint>
        </div>
        <Button
          size="sm"
          className="self-center"
          busy={recheckKeychain.isPending}
          onClick={() => recheckKeychain.mutate({})}
        >
          {t('vault.recheck')}
        </Button>
      </div>
      {vault.kind === 'session' ? (
        <div className="mt-2.5 border-t pt-1">
          <KeyValue
            items={[
              { label: t('vault.install'), value: <KeychainAdvice platform={platform} /> },
              { label: t('vault.reason'), value: <span lang="en">{vault.reason}</span> },
            ]}
          />
        </div>
      ) : null}
      <ExplainedFailure failure={recheckKeychain.error?.failure} />
    </Card>
  )
}

const channels = ['stable', 'beta'] as const

export function UpdatesSection() {
  const query = useCall('updates.get', {})
  return (
    <Section title={t('updates.title')}>
      <Loaded query={query} rows={2}>
        {(view) => (
          <>
            {view.isReplaced ? <ReplacedNotice /> : <UpdateState view={view} />}
            {view.state.kind === 'off' ? null : <Choices view={view} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function UpdateState({ view }: { readonly view: UpdatesView }) {
  const { download, buttons } = useUpdateActions(view)
  const { state, version } = view
  const { doneBytes, totalBytes } = state.kind === 'downloading' ? state : { doneBytes: 0, totalBytes: 0 }
  const progress = t('updates.progress', { done: formatBytes(doneBytes), total: formatBytes(totalBytes) })
  const release = 'release' in state ? state.release : undefined
  const notes = release?.notes[getLocale()] ?? release?.notes.en ?? ''
  const title = ((): string => {
    if (state.kind === 'off') return t(`updates.off.${state.reason}`)
    if (state.kind === 'checking') return t('updates.checking')
    if (state.kind === 'failed') {
      return release === undefined
        ? t('updates.checkFailed')
        : t('updates.downloadFailed', { version: release.version })
    }
    if (state.kind === 'ready') return t('updates.ready', { version: state.release.version })
    if (state.kind === 'downloading') return t('updates.downloading', { version: state.release.version })
    if (release !== undefined) return t('updates.available', { version: release.version })
    return view.checkedAt === undefined ? t('updates.notChecked') : t('updates.upToDate')
  })()
  return (
    <Card>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-[1_1_220px]" role="status">
          <p className="font-medium">{title}</p>
          <Hint>
            {t('updates.installed', { version })}
            {view.checkedAt === undefined ? null : (
              <>
                {' · '}
                {t('updates.checked')} <RelativeTime at={view.checkedAt} />
              </>
            )}
          </Hint>
        </div>
        <div className="ml-auto flex items-center gap-2">{renderActions(buttons, 'sm')}</div>
      </div>
      {state.kind === 'downloading' ? (
        <div className="mt-2.5 grid gap-1">
          <Meter label={progress} value={state.doneBytes / state.totalBytes} text={progress} />
          <Hint>{progress}</Hint>
        </div>
      ) : null}
      {state.kind === 'ready' && state.isAtQuit ? <Hint>{t('updates.atQuit')}</Hint> : null}
      {state.kind === 'available' && view.by === 'system' ? <Hint>{t('updates.bySystem')}</Hint> : null}
      {release !== undefined && notes !== '' ? (
        <details className="group mt-2.5">
          <summary className="flex w-max max-w-full items-center gap-1.5 rounded-sm text-soft hover:text-text">
            <ChevronRight size={12} strokeWidth={2} className="group-open:rotate-90" />
            {t('updates.notes', { version: release.version })}
          </summary>
          <div className="mt-1.5 max-h-60 overflow-auto text-soft">
            <Markdown text={notes} />
          </div>
        </details>
      ) : null}
      {state.kind === 'failed' ? (
        <div className="mt-2.5">
          <ExplainedFailure failure={state.failure} handlers={{ tryAgain: release && download }} />
        </div>
      ) : null}
    </Card>
  )
}

function useUpdateActions({ state, by }: UpdatesView) {
  const options = { invalidates: ['updates'] } as const
  const check = useAction('updates.check', options)
  const { mutate: startDownload } = useAction('updates.download', options)
  const { mutate: cancel } = useAction('updates.cancel', options)
  const { mutate: install } = useAction('updates.install', options)
  const { mutate: openLink } = useAction('app.openLink')
  const download = (): void => startDownload({})
  const listButtons = (): readonly (Action | false)[] => {
    if (state.kind === 'off') return []
    if (state.kind === 'downloading') return [{ label: t('updates.cancel'), onClick: () => cancel({}) }]
    if (state.kind === 'ready')
      return [
        !state.isAtQuit && { label: t('updates.installAtQuit'), onClick: () => install({ when: 'atQuit' }) },
        { label: t('updates.restart'), variant: 'primary', onClick: () => install({ when: 'now' }) },
      ]
    if (state.kind === 'available' && by === 'app')
      return [{ label: t('updates.download'), variant: 'primary', onClick: download }]
    const page = state.kind === 'available' ? state.release.page : undefined
    if (page !== undefined)
      return [{ label: t('updates.openPage'), variant: 'primary', onClick: () => openLink({ url: page }) }]
    const busy = check.isPending || state.kind === 'checking'
    return [{ label: t('updates.check'), busy, onClick: () => check.mutate({}) }]
  }
  return { download, buttons: listButtons() }
}

function Choices({ view }: { readonly view: UpdatesView }) {
  const { mutate: change } = useSettingAction('updates.change', { invalidates: ['updates'] })
  return (
    <Card flush>
      <SwitchRow
        checked={view.isAutomatic}
        onCheckedChange={(isAutomatic) => change({ isAutomatic })}
        label={t(view.by === 'app' ? 'updates.automatic' : 'updates.automaticSystem')}
        hint={t(view.by === 'app' ? 'updates.automaticHint' : 'updates.automaticHintSystem')}
      />
      <SegmentedRow
        label={t('updates.channel')}
        hint={t('updates.channelHint')}
        value={view.channel}
        segments={channels.map((value) => ({ value, label: t(`updates.channels.${value}`) }))}
        onValueChange={(channel) => change({ channel })}
      />
    </Card>
  )
}
