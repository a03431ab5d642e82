"""Few-shot examples from texts: which ten of eighty messages to label by hand.

A language model that sorts messages wants a few labelled examples in its prompt. Ten random ones repeat
what is frequent and miss what is rare. Ten diverse ones are picked before anybody has labelled anything:
the method sees the words alone.

A nearest neighbour stands in for the language model here, so that the script needs no network: the rest
of the messages get the label of the most similar example.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

import diverset as dv

K, DRAWS = 10, 500

# What people wrote to a shop for bicycle parts: much of it about two things, as always.
MESSAGES = {
    "delivery": """
        Where is my parcel? It was due on Monday.
        My order has not arrived yet, when will it be delivered?
        The tracking number does not work, is the parcel on its way?
        Has my order been shipped?
        The parcel was left in the rain by the delivery service.
        How long does delivery to Norway take?
        My parcel has been at the depot for a week.
        Tracking says delivered but there is no parcel here.
        Can you deliver to a parcel station?
        I ordered ten days ago and nothing was delivered.
        Is express delivery possible for this order?
        The delivery came while I was out, can it be delivered again?
        When will my order be shipped?
        Please deliver the parcel to my neighbour.
        Only half of my order has arrived, when does the second parcel come?
        Where is my order 20341?
        The parcel is still not here, please check the tracking.
        Could you change the delivery address of my order?
        My delivery is late again.
        Has the parcel with the wheels left your depot?""",
    "returns": """
        I want to send the saddle back and get my money back.
        How do I return a pair of gloves?
        The frame is too small, can I return it?
        When do I get my refund?
        I sent the pedals back three weeks ago and still have no refund.
        Please send me a return label.
        Can I return a helmet that I have worn once?
        The refund is less than I paid.
        How long can I return things?
        I would like to return the whole order for a refund.
        Where do I find the return label?
        My refund has not come through.
        Can I swap the jersey for a larger size?
        The colour is not what I expected, I want my money back.
        Is a return free of charge?
        Return of order 19822: when is the refund?""",
    "which part": """
        Does this chain fit a ten speed cassette?
        Which inner tube do I need for a 28 inch wheel?
        Will these brake pads fit my Shimano disc brakes?
        What size of bottom bracket does an old steel frame need?
        Is the rear derailleur compatible with eleven speed shifters?
        Which chain do you recommend for an electric bike?
        Do the pedals fit cleats with two bolts?
        What is the widest tyre for this rim?
        Will the rack fit a frame without eyelets?
        Which spoke length do I need for this hub and rim?
        Does the lamp work with a hub dynamo?""",
    "account": """
        I cannot log in to my account.
        How do I reset my password?
        The password mail never comes.
        Please delete my account and all my data.
        My account shows the wrong name.
        I have two accounts, can they be merged?
        How do I change the mail address of my account?
        Login fails although the password is right.""",
    "invoice": """
        I need an invoice with our VAT number.
        The invoice shows the wrong company.
        Please send the invoice as PDF again.
        Was my credit card charged twice?
        Can we pay by bank transfer?
        There is a sum on my card statement that I do not understand.
        Do you take PayPal?""",
    "workshop": """
        Do you repair bent wheels in your workshop?
        I would like an appointment for an inspection of my bike.
        What does it cost to have the brakes bled?
        The wheel that you trued is out of true again.
        Can I wait while you change a tyre?
        How long does a fork service take?""",
    "hours": """
        Are you open on Saturdays?
        When does the shop close today?
        Is the shop open between Christmas and New Year?
        Where can I park near the shop?""",
    "defect": """
        The pump broke on the first day.
        My new lamp goes out on every bump.
        A crack has appeared in the crank after two months.""",
    "work": """
        Do you have a job for a mechanic?
        I would like to apply as an apprentice.""",
    "press": """
        May we print your photo of the touring bike in our magazine?
        I write about cycling and would like an interview.
        Would you sponsor our school race?""",
}
texts = [line.strip() for lines in MESSAGES.values() for line in lines.strip().split("\n")]
topics = np.repeat(list(MESSAGES), [len(lines.strip().split("\n")) for lines in MESSAGES.values()])

# --- texts become vectors: the parts of words, weighted by how rare they are ------------------

X = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True).fit_transform(texts)
similar = (X @ X.T).toarray()

# --- pick, and see what the examples are good for ---------------------------------------------


def judged(examples):
    """How many topics the examples show, and how many of the other messages they put under the right one."""
    examples = np.asarray(examples)
    nearest = examples[similar[:, examples].argmax(axis=1)]
    others = np.setdiff1d(np.arange(len(texts)), examples)
    return len(set(topics[examples])), np.mean(topics[nearest][others] == topics[others])


picks = dv.select(X, K, kernel=dv.Cosine(), method="greedy-map")
print(f"{K} of {len(texts)} messages to label:")
for text, topic in zip(picks.take(texts), picks.take(topics), strict=True):
    print(f"  {topic:>10}  {text}")

# The default method keeps to the directions that many messages share: fewer topics, but those that count.
cosine = dv.Cosine()
sets = {name: dv.select(X, K, kernel=cosine, method=name) for name in ("greedy-map", "deterministic-kdpp")}
drawn = [dv.sample(X, K, kernel=cosine, method="uniform", rng=seed) for seed in range(DRAWS)]
random = np.array([judged(examples) for examples in drawn])

print(f"\n{'':>18}  {'topics':>6}  {'sorted right':>12}  better than, of {DRAWS} random sets")
for name, examples in sets.items():
    shown, right = judged(examples)
    print(f"{name:>18}  {shown:>6}  {right:>12.1%}  {np.mean(random[:, 1] < right):>10.0%}")
print(f"{'random, mean':>18}  {random[:, 0].mean():>6.1f}  {random[:, 1].mean():>12.1%}")
