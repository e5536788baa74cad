"""What WhatsApp writes in place of pictures and the like that were not exported.

iPhones mark these with a sign; Android's, and texts whose signs were lost, are known by words.
"""

import re
from typing import Final

LEFT_OUT: Final = (
    *("omitted", "attached", "ausgeschlossen", "weggelassen", "angehängt", "anhang", "omis"),
    *("omise", "omises", "pièce jointe", "omitido", "omitida", "omitidos", "multimedia", "adjunto"),
    *("omessi", "omesso", "allegato", "oculto", "oculta", "mídia oculta", "anexado", "weggelaten"),
    *("toegevoegd", "без медиафайлов", "пропущено", "отсутствует", "добавлен", "pominięto"),
    *("dahil edilmedi", "已忽略", "已略過", "已省略", "省略", "附件", "附加", "생략", "제외한"),
    *("לא נכללה", "הושמט", "הושמטה"),
    *("استبعاد", "مستبعدة", "مستثناة", "مرفق", "تم إرفاق"),
)
WORD: Final = "|".join(map(re.escape, LEFT_OUT))
THINGS: Final = (
    *("image", "video", "audio", "sticker", "gif", "document", "contact card", "media"),
    *("bild", "dokument", "kontaktkarte", "medien", "image", "vidéo", "imagen", "vídeo", "imagem"),
    *("immagine", "afbeelding", "изображение", "видео", "аудио", "стикер", "документ", "файл"),
    *(
        "图片",
        "图像",
        "圖片",
        "影像",
        "视频",
        "影片",
        "音频",
        "音訊",
        "贴图",
        "貼圖",
        "文档",
        "文件",
    ),
    *("صورة", "فيديو", "صوت", "ملصق", "مستند"),
)
THING: Final = "|".join(map(re.escape, THINGS))
FILE: Final = r"\S[^\n]{0,80}\.\w{2,4}"
NOT_EXPORTED: Final = re.compile(
    rf"<[^<>]*(?:{WORD})[^<>]*>|{FILE} \([^()]*(?:{WORD}|file)[^()]*\)|"
    rf"(?:{THING})\s?(?:{WORD})|(?:{WORD})\s(?:ال)?(?:{THING})|{FILE} (?:• .* )?document omitted",
    re.IGNORECASE,
)
