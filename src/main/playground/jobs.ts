import type { PlaygroundParameters, PlaygroundRun } from '@shared/contract'
import type { TalkMessage } from '../gateway/model-requests'
import { chatBody, completionBody, embeddingsBody } from '../gateway/request-bodies'
import { answerReader } from '../gateway/response-reader'
import { EmbeddingsReader } from './embeddings'
import type { RunJob } from './runs'
import type { OpenTarget } from './targets'

/** What a chat says. */
export interface ChatWords {
  readonly system: string
  readonly messages: readonly TalkMessage[]
  readonly parameters: PlaygroundParameters
}

/** A run that is to be made, without its body. */
export interface Planned {
  readonly run: PlaygroundRun
  readonly target: OpenTarget
}

/** The JSON value of a chat. Fails with `input.invalid` and the field for what the standard cannot be sent. */
export function chatValue({ target, standard }: OpenTarget, { system, messages, parameters }: ChatWords): unknown {
  return chatBody({ standard, modelCode: target.modelCode, system, messages, parameters }, { stream: true })
}

/** A chat whose answer comes as a stream. */
export function chatJob({ run, target }: Planned, value: () => unknown): RunJob {
  const { standard } = target
  const reader: RunJob['reader'] = (contentType) => answerReader({ standard, kind: 'chat', contentType })
  return { run, target, body: async () => value(), reader }
}

/** A text completion whose answer comes as a stream. Fails with `input.invalid` and the field for what cannot be sent. */
export function completionJob(
  { run, target }: Planned,
  { prompt, parameters }: { readonly prompt: string; readonly parameters: PlaygroundParameters },
): RunJob {
  const { standard } = target
  const value = completionBody({ standard, modelCode: target.target.modelCode, prompt, parameters }, { stream: true })
  const reader: RunJob['reader'] = (contentType) => answerReader({ standard, kind: 'completion', contentType })
  return { run, target, body: async () => value, reader }
}

/** Embeddings of texts; the reader has them when the run is over. */
export function embeddingsJob(
  { run, target }: Planned,
  inputs: readonly string[],
): { readonly job: RunJob; readonly embeddings: () => readonly (readonly number[])[] } {
  const value = embeddingsBody({ standard: target.standard, modelCode: target.target.modelCode, inputs })
  const reader = new EmbeddingsReader(inputs.length)
  return { job: { run, target, body: async () => value, reader: () => reader }, embeddings: () => reader.embeddings }
}
