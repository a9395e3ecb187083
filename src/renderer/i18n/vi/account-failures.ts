/** The same words in Vietnamese. */
export const accountFailures = {
  invalidName: {
    title: 'Không dùng được tên này',
    explanation: 'Tên gói có từ 1 đến 50 ký tự trong số a–z, A–Z, 0–9, “_”, “-” và “.”; tên khóa có từ 1 đến 50 ký tự.',
    remedy: 'Hãy chọn một tên khác.',
  },
  roleNotAllowed: {
    title: 'Tài khoản này không được mua gói',
    explanation: 'Chỉ vai trò Root và Admin được mua. Developer và Viewer làm việc với khóa được cấp.',
    remedy: 'Hãy nhờ một Root hoặc Admin của tài khoản mua gói, hoặc cấp khóa cho bạn.',
  },
  insufficientCredits: {
    title: 'Tài khoản không đủ tín dụng',
    explanation: 'Gói được trả toàn bộ khi mua, mà số dư không đủ. Chưa có khoản nào bị trừ.',
    remedy: 'Hãy nạp thêm tín dụng vào tài khoản, hoặc chọn gói nhỏ hơn.',
  },
  keyLimitReached: {
    title: 'Gói đã có đủ số khóa tối đa',
    explanation: 'Loại gói quyết định được có bao nhiêu khóa; khóa đã vô hiệu hóa cũng được tính.',
    remedy: 'Hãy xóa một khóa không còn ai dùng, hoặc mua gói khác.',
  },
  planExpired: {
    title: 'Gói trong tài khoản đã hết hạn',
    explanation: 'Việc này chỉ làm được trước khi gói hết hạn. Các khóa của gói không còn hoạt động.',
    remedy: 'Hãy mua lại gói: một gói mới cùng loại sẽ được tạo.',
  },
  notProvisioned: {
    title: 'Gói vẫn đang được chuẩn bị',
    explanation: 'Gateway và các khóa chỉ hiện đầy đủ khi nền tảng chuẩn bị xong. Việc này mất một lúc.',
    remedy: 'Hãy đợi đến khi gói sẵn sàng rồi thử lại.',
  },
  unknownOutcome: {
    title: 'Không rõ việc này đã thành công hay chưa',
    explanation:
      'Yêu cầu đã được gửi nhưng câu trả lời bị mất. Có thể nó đã được thực hiện; làm lại có thể thành hai lần.',
    remedy: 'Hãy làm mới danh sách và kiểm tra trước khi làm lại.',
  },
  keyNotKept: {
    title: 'Khóa đã có nhưng chưa được lưu trên máy này',
    explanation:
      'Nền tảng đã tạo khóa, nhưng không lưu được ở đây nên các công cụ trên máy này chưa dùng được. Không có gì bị mất.',
    remedy: 'Hãy cho ứng dụng tìm lại chuỗi khóa, rồi chọn lưu khóa trong danh sách khóa của gói.',
  },
}
