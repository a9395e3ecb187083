import type { MethodInput } from '@shared/contract'
import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { useSettings, useUpdateSettings } from '../../settings'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { Segmented } from '../../ui/radio-cards'
import { SkeletonRows } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { AlertSettings } from '../alerts/alert-settings'
import { KeyReminders } from '../rotation/key-reminders'
import { ShortcutList } from '../shell/shortcut-list'
import { About } from './about'
import { KeysState } from './keys-state'
import { Reminders } from './reminders'
import styles from './settings-page.module.css'

function Setting({
  label,
  hint,
  children,
}: {
  readonly label: string
  readonly hint?: string
  readonly children: ReactNode
}) {
  return (
    <div className={styles.setting}>
      <div>
        <p className={styles.label}>{label}</p>
        {hint ? <p className={styles.hint}>{hint}</p> : null}
      </div>
      {children}
    </div>
  )
}

function Appearance() {
  const { t } = useTranslation('settings', { keyPrefix: 'appearance' })
  const { t: tSettings } = useTranslation('settings')
  const { theme, language } = useSettings()
  const update = useUpdateSettings()
  const change = (to: MethodInput<'settings.update'>): void => {
    update(to).catch(() => toast(tSettings('notSaved'), { tone: 'danger' }))
  }
  const themes = { system: Monitor, light: Sun, dark: Moon } as const
  const themeNames = ['system', 'light', 'dark'] as const
  const languages = { system: t('system'), en: 'English', vi: 'Tiếng Việt' } as const
  const languageNames = ['system', 'en', 'vi'] as const
  return (
    <>
      <Setting label={t('theme')}>
        <Segmented
          label={t('theme')}
          value={theme}
          segments={themeNames.map((value) => ({ value, label: t(value), icon: themes[value] }))}
          onValueChange={(value) => change({ theme: themeNames.find((name) => name === value) })}
        />
      </Setting>
      <Setting label={t('language')} hint={t('languageHint')}>
        <Segmented
          label={t('language')}
          value={language}
          segments={languageNames.map((value) => ({ value, label: languages[value] }))}
          onValueChange={(value) => change({ language: languageNames.find((name) => name === value) })}
        />
      </Setting>
    </>
  )
}

/** Theme and language, reminders, alerts, where keys are kept, what this app is, and its shortcuts. */
export function SettingsPage() {
  const { t } = useTranslation('settings')
  const app = useCall('app.get', {})
  return (
    <Page width="narrow">
      <PageHeader title={t('title')} />
      <Section title={t('appearance.title')}>
        <Card flush>
          <Appearance />
        </Card>
      </Section>
      <Section title={t('reminders.title')}>
        <Reminders />
        <KeyReminders />
      </Section>
      <AlertSettings />
      <Loaded query={app} skeleton={<SkeletonRows rows={2} />}>
        {(view) => (
          <>
            <Section title={t('vault.title')}>
              <KeysState vault={view.vault} platform={view.platform} />
            </Section>
            <Section title={t('about.title')}>
              <About app={view} />
            </Section>
          </>
        )}
      </Loaded>
      <Section title={t('shortcuts')}>
        <Card>
          <ShortcutList />
        </Card>
      </Section>
    </Page>
  )
}
