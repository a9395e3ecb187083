import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from '../../ui/toast'
import { attach, fileTrouble, mostAttachments } from './attaching'
import { changeDraft } from './drafts'

/** Takes files into a draft, one after the other; what cannot be taken is told. */
export function useAttaching(key: string, count: number) {
  const { t } = useTranslation('playground')
  const [reading, setReading] = useState<string>()
  const refuse = (words: string): void => void toast(words, { tone: 'danger' })
  const takeOne = async (file: File): Promise<void> => {
    if (fileTrouble(file)) return refuse(t('composer.tooLarge', { name: file.name }))
    setReading(file.name)
    try {
      const { id } = await attach(file)
      changeDraft(key, ({ text, attachments }) => ({
        text,
        attachments: attachments.includes(id) ? attachments : [...attachments, id],
      }))
    } catch {
      refuse(t('composer.notTaken', { name: file.name }))
    }
  }
  const take = async (files: readonly File[]): Promise<void> => {
    if (count + files.length > mostAttachments) refuse(t('composer.tooMany'))
    for (const file of files.slice(0, mostAttachments - count)) await takeOne(file)
    setReading(undefined)
  }
  const remove = (id: string): void =>
    changeDraft(key, ({ text, attachments }) => ({ text, attachments: attachments.filter((one) => one !== id) }))
  return { take, remove, reading }
}
