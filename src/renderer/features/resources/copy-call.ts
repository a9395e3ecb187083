import type { MethodInput } from '@shared/contract'
import { SquareTerminal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'

type Arguments = Omit<MethodInput<'resources.code'>, 'language'>

const languages = ['curl', 'companion'] as const

/** The lines of a menu that copy a call as code, with the token as a variable. */
export function useCopyCall(): (asked: Arguments) => readonly MenuItem[] {
  const { t } = useTranslation('resources')
  const words = useFailureWords()
  const copy = async (asked: Arguments, language: (typeof languages)[number]): Promise<void> => {
    try {
      const { code } = await call('resources.code', { ...asked, language })
      await call('app.copyText', { text: code })
      void toast(t(`code.copied.${language}`), { description: t(`code.hint.${language}`) })
    } catch (error) {
      if (error instanceof CallError) void toast(words(error.failure).title, { tone: 'danger' })
    }
  }
  return (asked) =>
    languages.map((language) => ({
      label: t(`code.${language}`),
      icon: SquareTerminal,
      onSelect: () => void copy(asked, language),
    }))
}
